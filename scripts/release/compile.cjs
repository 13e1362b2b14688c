// node compile.cjs PROGRAM OUTPUT ARGUMENT...: runs the program, and keeps what V8 compiled meanwhile. V8 numbers functions
// as they are first called, so by which answer came first. Without arguments: loads OUTPUT, which numbers them in its own
// order, and writes that.
const { readFileSync, writeFileSync } = require('node:fs');
const { setFlagsFromString } = require('node:v8');
const { Script } = require('node:vm');

const [, , program, output, ...args] = process.argv;
const text = readFileSync(program, 'utf8');
const filename = 'kubectl-webhook';
const keep = (script) => writeFileSync(output, script.createCachedData());

if (args.length === 0) {
  const script = new Script(text, { filename, cachedData: readFileSync(output) });
  if (script.cachedDataRejected) throw new Error(`V8 refuses what it wrote to ${output}`);
  keep(script);
} else {
  // Otherwise time decides which functions are still there at the end, and which bear the mark of a faster tier.
  const timed = ['flush-bytecode', 'sparkplug', 'maglev', 'opt'];
  for (const flag of timed) setFlagsFromString(`--no-${flag}`);
  // And no timer ends before what it waits for, however slow the machine.
  const slower = (timer) => Object.assign((act, wait, ...rest) => timer(act, wait * 1000, ...rest), timer);
  globalThis.setTimeout = slower(setTimeout);
  globalThis.setInterval = slower(setInterval);
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (wait) => timeout(wait * 1000);
  const script = new Script(text, { filename });
  process.on('exit', (code) => {
    // V8 refuses compiled code of other flags.
    for (const flag of timed) setFlagsFromString(`--${flag}`);
    if (code === 0) keep(script);
  });
  process.argv.splice(1, Number.POSITIVE_INFINITY, program, ...args);
  script.runInThisContext()(require);
}
