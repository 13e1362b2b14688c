import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { kubectlBinary } from '../../cluster/kubectl.ts';
import { furnished, type Scene } from '../../cluster/scene.ts';
import { authority } from '../../support/certificates.ts';
import type { Case, Stage, Typed } from './case.ts';
import { steady } from './steady.ts';

const programs = new URL('../../../bin', import.meta.url).pathname;
function shell(command: string, cwd: string, env: Readonly<Record<string, string>>): Promise<Typed> {
  const child = spawn('sh', ['-c', `exec 2>&1\n${command}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output }));
  });
}

/** Creates the tools of one case, and returns the content of its page at the end. */
export async function openStage(
  { title, namespaces }: Case,
  scene: Scene,
  kubeconfig: string,
): Promise<{ readonly stage: Stage; readonly page: () => string }> {
  const homes = new Map(namespaces.map((name) => [name, `case-${randomBytes(4).toString('hex')}`]));
  for (const name of homes.values()) {
    await scene.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    await furnished(scene.client, name);
  }
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-webhook-case-'));
  const env = {
    PATH: `${dirname(await kubectlBinary())}:${programs}:${process.env.PATH ?? ''}`,
    HOME: folder,
    LANG: 'C.UTF-8',
    KUBECONFIG: kubeconfig,
  };
  const masks = new Map([...[...homes].map(([shown, real]) => [real, shown] as const), [folder, '~']]);
  const lines: string[] = [`# ${title}`];
  const fenced = (language: string, text: string): void => {
    lines.push(`\`\`\`${language}\n${text.replace(/\n+$/, '')}\n\`\`\``);
  };
  const home = (name: string): string => homes.get(name) ?? name;

  const stage: Stage = {
    scene,
    kubeconfig,
    ca: await authority({ cn: 'webhook-ca' }),
    home,
    inside: (name) => ({
      ...scene,
      namespace: home(name),
      create: (object, options) =>
        scene.create({ ...object, metadata: { namespace: home(name), ...object.metadata } }, options),
    }),
    mask: (real, shown) => void masks.set(real, shown),
    tell: (text) => void lines.push(text),
    file(name, text) {
      writeFileSync(join(folder, name), text);
      fenced('yaml', `# ${name}\n${text}`);
    },
    write: (name, text) => writeFileSync(join(folder, name), text),
    look: (command) => shell(command, folder, env),
    async type(command) {
      const typed = await shell(command, folder, env);
      const code = typed.code === 0 ? '' : `\n(exit code ${typed.code})`;
      fenced('', `$ ${command}\n${typed.output.trimEnd()}${code}`);
      return typed;
    },
  };
  return { stage, page: () => `${steady(lines.join('\n\n'), masks)}\n` };
}
