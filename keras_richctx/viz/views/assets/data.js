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
    this.loading ??= this.unpack();
    return this.loading;
  }

  async unpack() {
    const size = this.H * this.T * this.S;
    this.bytes = this.large === undefined ? await unpack(this.codes, size) : spread(await unpack(this.codes, Math.ceil(size / 4)), await unpack(this.large), size);
    this.codes = this.large = null; // the letters are needed no more
    return this;
  }
}

// Four numbers of two bits from each byte; for a 3 the next of the large ones.
function spread(few, large, size) {
  const bytes = new Uint8Array(size);
  for (let k = 0, next = 0; k < size; k++) {
    const code = (few[k >> 2] >> (2 * (k & 3))) & 3;
    bytes[k] = code < 3 ? code : large[next++];
  }
  return bytes;
}
