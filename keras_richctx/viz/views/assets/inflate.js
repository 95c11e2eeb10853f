// Inflates the zlib format (RFC 1950, 1951) where the browser has no DecompressionStream: Firefox before 113, Safari before 16.4, both of 2023.
// After Mark Adler's puff.c: the codes of one length are consecutive numbers, so counting them by length is all the table there is.

const LENGTHS = [3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258];
const LENGTH_BITS = [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0];
const DISTANCES = [1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577];
const DISTANCE_BITS = [0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13];
const ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

// `bytes` in, as many bytes out as it holds; `size`, if known, saves copying.
function inflate(bytes, size = 4 * bytes.length) {
  let out = new Uint8Array(size), end = 0, place = 2, bit = 0; // the two bytes of the header say nothing that is needed
  const bits = (count) => {
    let value = 0;
    for (let k = 0; k < count; k++) {
      value |= ((bytes[place] >> bit) & 1) << k;
      if (++bit === 8) [bit, place] = [0, place + 1];
    }
    return value;
  };
  const put = (byte) => {
    if (end === out.length) {
      const longer = new Uint8Array(2 * out.length + 1024);
      longer.set(out);
      out = longer;
    }
    out[end++] = byte;
  };
  // A table from the length of each symbol's code: how many codes have each length, and the symbols in the order of their codes.
  const table = (lengths) => {
    const counts = new Uint16Array(16), starts = new Uint16Array(17), symbols = new Uint16Array(lengths.length);
    for (const length of lengths) counts[length]++;
    counts[0] = 0;
    for (let length = 1; length <= 15; length++) starts[length + 1] = starts[length] + counts[length];
    lengths.forEach((length, symbol) => {
      if (length) symbols[starts[length]++] = symbol;
    });
    return {counts, symbols};
  };
  const symbol = ({counts, symbols}) => {
    let code = 0, first = 0, index = 0;
    for (let length = 1; length <= 15; length++) {
      code |= (bytes[place] >> bit) & 1;
      if (++bit === 8) [bit, place] = [0, place + 1];
      const count = counts[length];
      if (code - first < count) return symbols[index + code - first];
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    throw new Error("The data of this page is damaged: it holds a code that means nothing.");
  };
  const fixed = () => [
    table(Array.from({length: 288}, (_, k) => (k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8))),
    table(new Array(30).fill(5)),
  ];
  const dynamic = () => {
    const [literals, distances, codes] = [bits(5) + 257, bits(5) + 1, bits(4) + 4];
    const short = new Array(19).fill(0);
    for (let k = 0; k < codes; k++) short[ORDER[k]] = bits(3);
    const ofLengths = table(short), lengths = [];
    while (lengths.length < literals + distances) {
      const next = symbol(ofLengths);
      if (next < 16) lengths.push(next);
      else {
        const [value, times] = next === 16 ? [lengths[lengths.length - 1], 3 + bits(2)] : next === 17 ? [0, 3 + bits(3)] : [0, 11 + bits(7)];
        for (let k = 0; k < times; k++) lengths.push(value);
      }
    }
    return [table(lengths.slice(0, literals)), table(lengths.slice(literals))];
  };
  for (let last = 0; !last; ) {
    last = bits(1);
    const kind = bits(2);
    if (kind === 0) {
      if (bit) [bit, place] = [0, place + 1];
      const length = bytes[place] | (bytes[place + 1] << 8);
      place += 4;
      for (let k = 0; k < length; k++) put(bytes[place++]);
      continue;
    }
    const [literals, distances] = kind === 1 ? fixed() : dynamic();
    for (let next = symbol(literals); next !== 256; next = symbol(literals)) {
      if (next < 256) {
        put(next);
        continue;
      }
      const length = LENGTHS[next - 257] + bits(LENGTH_BITS[next - 257]);
      const code = symbol(distances);
      const distance = DISTANCES[code] + bits(DISTANCE_BITS[code]);
      for (let k = 0; k < length; k++) put(out[end - distance]);
    }
  }
  return out.subarray(0, end);
}
