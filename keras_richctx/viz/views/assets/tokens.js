// Rows: what is shown of a side, after hiding, joining and choosing a sentence. A row is one token, or the tokens of one word.

// side: {labels, frames, segments, words}; wanted: {hide, join, segment (0, 1 or null)}. Returns [{label, members, segment}].
function rowsOf(side, {hide = false, join = false, segment = null} = {}) {
  const frames = new Set(side.frames), rows = [];
  const words = join && side.words ? side.words : side.labels.map((label) => [label, 1]);
  let place = 0;
  for (const [label, count] of words) {
    const members = Array.from({length: count}, (_, k) => place + k);
    place += count;
    if (hide && frames.has(members[0])) continue;
    if (segment !== null && side.segments && side.segments[members[0]] !== segment) continue;
    rows.push({label, members});
  }
  // a label that occurs more than once is told by its place
  const seen = new Map();
  for (const {label} of rows) seen.set(label, (seen.get(label) ?? 0) + 1);
  // \u2068 and \u2069 keep a word that is written from right to left from turning the sentence around it
  for (const row of rows) row.name = `'\u2068${row.label}\u2069'${seen.get(row.label) > 1 ? ` (token ${row.members[0]})` : ""}`;
  return rows;
}

// The weights of head h between rows, row by row, as a Float32Array: to a word the sum over its tokens, from a word the mean over them.
function matrixOf(layer, h, queries, keys) {
  const {bytes, T, S} = layer, step = layer.steps[h], matrix = new Float32Array(queries.length * keys.length);
  let k = 0;
  if (queries.every(({members}) => members.length === 1) && keys.every(({members}) => members.length === 1)) { // the same, faster
    const places = Uint32Array.from(keys, ({members}) => members[0]);
    for (const {members: [t]} of queries) {
      const start = (h * T + t) * S;
      for (let s = 0; s < places.length; s++) matrix[k++] = bytes[start + places[s]] * step;
    }
    return matrix;
  }
  for (const {members: from} of queries) {
    for (const {members: to} of keys) {
      let sum = 0;
      for (const t of from) {
        const start = (h * T + t) * S;
        for (const s of to) sum += bytes[start + s];
      }
      matrix[k++] = (sum * step) / from.length;
    }
  }
  return matrix;
}
