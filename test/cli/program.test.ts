import { spawn, spawnSync } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cli } from '../../src/cli/cli.ts';
import { commandTable } from '../../src/cli/command-table.ts';
import { explainError } from '../../src/cli/explain-error.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith } from '../support/plugin.ts';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'bin', 'kubectl-webhook');

/** Runs the built program as kubectl does: by its path, from another directory. */
function run(argv: readonly string[], path = program) {
  const { status, stdout, stderr } = spawnSync(path, argv, { cwd: tmpdir(), encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('the program', () => {
  before(function () {
    if (process.platform === 'win32') this.skip(); // bin/kubectl-webhook is a script of sh there
  });

  for (const argv of [[], ['--help'], ['-h'], ['help']]) {
    it(`"kubectl webhook ${argv.join(' ')}" prints the help and succeeds`, () => {
      const { status, stdout, stderr } = run(argv);
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.include('kubectl webhook COMMAND [flags]');
      const lines = stdout.split('\n');
      for (const { name, summary } of commandTable) {
        expect(
          lines.some((line) => line.startsWith(`  ${name} `) && line.endsWith(summary)),
          name,
        ).to.equal(true);
      }
    });
  }

  it('supports version and options as kubectl does, and --color with every command', () => {
    expect(JSON.parse(run(['version', '-o', 'json']).stdout)).to.have.nested.property(
      'clientVersion.gitVersion',
    );
    expect(run(['version']).stdout).to.equal(run(['--version']).stdout);
    expect(run(['version', '-oyaml']).stdout).to.match(/^clientVersion:\n {2}gitVersion: v/);
    expect(run(['version', '-o', 'wide'])).to.deep.include({ status: 2, stdout: '' });
    expect(run(['options']).stdout).to.match(/^ {2}--kubeconfig FILE /m);
    expect(run(['checks', 'service-missing', '--color=always']).stdout).to.include('\u001b[');
    expect(run(['checks', 'service-missing', '--color', 'never']).stdout).to.not.include('\u001b[');
    const { status, stderr } = run(['doctor', '--color=blue']);
    expect(status).to.equal(2);
    expect(stderr).to.include('invalid --color "blue": must be one of auto, always, never');
  });

  it('reports an error if the event loop is empty before the command has finished', () => {
    const silent = `import http from 'node:http';
      import { EventEmitter } from 'node:events';
      import { syncBuiltinESMExports } from 'node:module';
      http.request = () => Object.assign(new EventEmitter(), { end() { this.emit('close'); }, destroy() {} });
      syncBuiltinESMExports();`;
    const config = fileWith(
      JSON.stringify({
        'current-context': 'a',
        contexts: [{ name: 'a', context: { cluster: 'a' } }],
        clusters: [{ name: 'a', cluster: { server: 'http://127.0.0.1:1' } }],
      }),
    );
    const env = {
      ...process.env,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(silent)}`,
    };
    const argv = ['doctor', '--kubeconfig', config];
    const { status, stderr } = spawnSync(program, argv, { env, encoding: 'utf8' });
    expect(status).to.equal(2);
    expect(stderr).to.include('internal error: the command exited without a result');
  });

  it('prints its version', () => {
    expect(run(['--version'])).to.deep.include({ status: 0, stderr: '' });
    expect(run(['--version']).stdout).to.match(/^kubectl-webhook v\d+\.\d+\.\d+\n$/);
  });

  for (const { name } of commandTable) {
    it(`explains ${name}`, async () => {
      const { code, stdout, stderr } = await inProcess([name, '--help']);
      expect({ code, stderr }).to.deep.equal({ code: 0, stderr: '' });
      expect(stdout).to.include(`$ kubectl webhook ${name}`);
    });

    it(`${name} refuses an unknown flag in one sentence`, async () => {
      const refused = await cli([name, '--no-such-flag'], commandTable).catch((error: unknown) => error);
      expect(explainError(refused, name, false)).to.deep.equal({
        text: `error: unknown flag --no-such-flag\nSee "kubectl webhook ${name} --help".\n`,
        exitCode: 2,
      });
    });
  }

  it('prints the help of a command after help, and refuses its flags there', () => {
    expect(run(['help', 'trace']).stdout).to.equal(run(['trace', '--help']).stdout);
    expect(run(['trace', '--no-such-flag'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: 'error: unknown flag --no-such-flag\nSee "kubectl webhook trace --help".\n',
    });
  });

  it('refuses an unknown command in one sentence', () => {
    expect(run(['kustomize'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr: 'error: unknown command "kustomize"\nSee "kubectl webhook --help".\n',
    });
  });

  it('refuses flags before the command, without printing their values', () => {
    expect(run(['--token=secret', 'doctor'])).to.deep.equal({
      status: 2,
      stdout: '',
      stderr:
        'error: kubectl webhook has no flag --token; flags must come after the command\n' +
        'See "kubectl webhook --help".\n',
    });
  });

  it('runs through a symbolic link', () => {
    const directory = mkdtempSync(join(tmpdir(), 'link-'));
    try {
      symlinkSync(program, join(directory, 'kubectl-webhook'));
      expect(run(['--version'], join(directory, 'kubectl-webhook')).status).to.equal(0);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it('prints nothing when its reader exits', async () => {
    const child = spawn(program, ['--help'], { stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.destroy();
    let stderr = '';
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
    });
    const status = await new Promise((resolve) => child.on('close', resolve));
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
  });

  for (const argv of [['--help'], ['checks']]) {
    it(`ends with 2 where the disk is full: ${argv.join(' ')}`, function () {
      if (!existsSync('/dev/full')) this.skip();
      const full = openSync('/dev/full', 'w');
      const stdio = ['ignore', full, 'pipe'] as const;
      const { status, stderr } = spawnSync(program, argv, {
        stdio: [...stdio],
        encoding: 'utf8',
        timeout: 20_000,
      });
      closeSync(full);
      expect(stderr).to.match(/^error: the output could not be written: ENOSPC: .*\n$/);
      expect(status).to.equal(2);
    });
  }
});

describe('the command table', () => {
  it('lists every file of src/commands, and no other', () => {
    const files = readdirSync(join(root, 'src', 'commands'), { recursive: true, encoding: 'utf8' });
    const names = files.filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -'.ts'.length));
    // kubectl_complete-webhook calls it; users do not type it.
    const typed = names.filter((name) => name !== 'complete');
    expect(commandTable.map(({ name }) => name).sort()).to.deep.equal(typed.sort());
  });
});
