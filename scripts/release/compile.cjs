// node compile.cjs PROGRAM OUTPUT ARGUMENT...: runs the program, and keeps what V8 compiled meanwhile.
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [, , program, output, ...args] = process.argv;
// Otherwise it depends on the time of a garbage collection which functions are still there at the end.
setFlagsFromString('--no-flush-bytecode');
const script = new Script(readFileSync(program, 'utf8'), { filename: 'kubectl-webhook' });
process.on('exit', (code) => {
  // V8 refuses compiled code of other flags.
  setFlagsFromString('--flush-bytecode');
  if (code === 0) writeFileSync(output, script.createCachedData());
});
process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args);
script.runInThisContext()(require);
