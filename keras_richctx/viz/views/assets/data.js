// The numbers of the page: read from its JSON, unpacked when they are needed.

function readData() {
  return JSON.parse(document.getElementById("data").textContent);
}

function bytesOf(base64) {
  const letters = atob(base64), bytes = new Uint8Array(letters.length);
  for (let k = 0; k < letters.length; k++) bytes[k] = letters.charCodeAt(k);
  return bytes;
}

// base64 of the zlib format -> bytes.
async function unpack(base64, size) {
  const packed = bytesOf(base64);
  if (typeof DecompressionStream === "undefined") return inflate(packed, size);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// One layer: its names and measures at once, its weights after `await layer.load()`.
class Layer {
  constructor(data, number) {
    Object.assign(this, data.layers[number]);
    [this.H, this.T, this.S] = this.shape;
    this.own = this.queries === this.keys; // it attends within one sequence
    this.querySide = data.sides[this.queries];
    this.keySide = data.sides[this.keys];
  }

  load() {
    this.loading ??= unpack(this.codes, this.H * this.T * this.S).then((bytes) => {
      this.bytes = bytes;
      this.codes = null; // the letters are needed no more
      return this;
    });
    return this.loading;
  }
}
