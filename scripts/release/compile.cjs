// node compile.cjs PROGRAM OUTPUT ARGUMENT...: runs the program, and keeps what V8 compiled meanwhile.
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [, , program, output, ...args] = process.argv;
// Otherwise time decides which functions are still there at the end, and which bear the mark of a faster tier.
const timed = ['flush-bytecode', 'sparkplug', 'maglev', 'opt'];
for (const flag of timed) setFlagsFromString(`--no-${flag}`);
const script = new Script(readFileSync(program, 'utf8'), { filename: 'kubectl-webhook' });
process.on('exit', (code) => {
  // V8 refuses compiled code of other flags.
  for (const flag of timed) setFlagsFromString(`--${flag}`);
  if (code === 0) writeFileSync(output, script.createCachedData());
});
process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args);
script.runInThisContext()(require);
