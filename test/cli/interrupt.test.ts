import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';

const interrupt = join(import.meta.dirname, '..', '..', 'src', 'cli', 'interrupt.ts');

/**
 * Runs the statements in a separate process, interrupts it once it is ready, and returns its output and exit
 * code.
 */
async function interrupted(statements: string) {
  const script = `import { exitOnInterrupt, onInterrupt } from ${JSON.stringify(interrupt)};
    exitOnInterrupt();
    ${statements}
    setInterval(() => {}, 1000);
    console.log('ready');`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk) => {
    if (output === '') child.kill('SIGINT');
    output += chunk;
    if (/again/.test(String(chunk))) child.kill('SIGINT');
  });
  const exitCode = await new Promise((resolve) => child.on('close', resolve));
  return { output, exitCode };
}

describe('an interrupt', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // signals of other processes only kill there
  });

  it('ends the program with 130', async () => {
    expect(await interrupted('')).to.deep.equal({ output: 'ready\n', exitCode: 130 });
  });

  it('calls the newest handler, which may exit in another way', async () => {
    const statements = `onInterrupt(() => process.exit(4)); onInterrupt(() => process.exit(5));`;
    expect(await interrupted(statements)).to.deep.equal({ output: 'ready\n', exitCode: 5 });
  });

  it('ends the program again after the handler was removed', async () => {
    expect((await interrupted(`onInterrupt(() => process.exit(5))();`)).exitCode).to.equal(130);
  });

  it('ends the program the second time with any handler', async () => {
    const statements = `onInterrupt(() => console.log('again'));`;
    expect(await interrupted(statements)).to.deep.equal({ output: 'ready\nagain\n', exitCode: 130 });
  });
});
