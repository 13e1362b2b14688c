import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { cached, contentKey } from './cache.ts';
import type { Client, KubeObject } from './client.ts';
import { findProgram, startComponent, stopComponent } from './component.ts';
import { run } from './run-command.ts';
import { waitFor } from './wait.ts';

const source = join(import.meta.dirname, 'cert-manager');
const module = 'github.com/cert-manager/cert-manager';

/**
 * Folder with cert-manager's injector and controllers as one program (cert-manager/main.go), and its CRDs;
 * built from its Go module if it is not cached (minutes).
 */
export function certManagerFolder(): Promise<string> {
  const files = readdirSync(source).toSorted();
  const key = contentKey(...files.map((name) => readFileSync(join(source, name))), process.arch);
  return cached('cert-manager', key, async (output) => {
    console.error("Building cert-manager: minutes the first time, seconds from Go's cache");
    const program = ['-ldflags=-s -w', '-o', join(output, 'cert-manager'), '.'];
    await run('go', ['build', '-mod=readonly', '-buildvcs=false', ...program], { cwd: source });
    const folder = await run('go', ['list', '-m', '-f', '{{.Dir}}', module], { cwd: source });
    const definitions = join(folder.trim(), 'deploy', 'crds');
    for (const name of readdirSync(definitions).filter((file) => file.endsWith('.yaml')))
      copyFileSync(join(definitions, name), join(output, name));
  });
}

const isEstablished = (object: KubeObject | undefined): boolean =>
  (object?.status?.conditions as { type: string; status: string }[] | undefined)?.some(
    ({ type, status }) => type === 'Established' && status === 'True',
  ) ?? false;

/** Creates the CRDs of cert-manager, and returns them when the API server serves them. */
export async function defineKinds(client: Client): Promise<readonly KubeObject[]> {
  const folder = await certManagerFolder();
  const definitions = readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')) as KubeObject);
  for (const definition of definitions) await client.create(definition);
  for (const definition of definitions)
    await waitFor(`${definition.metadata.name} to be served`, async () =>
      isEstablished(await client.get(definition)),
    );
  return definitions;
}

/**
 * `controller` issues certificates (CA and self-signed issuers), `cainjector` injects: processes outside of
 * the cluster.
 */
export type CertManagerPart = 'controller' | 'cainjector';

/**
 * Starts a part with the credentials of a kubeconfig. Its log is in the folder of the cluster; it ends with
 * this process.
 */
export async function startCertManager(
  folder: string,
  part: CertManagerPart,
  kubeconfig: string,
): Promise<void> {
  const setpriv = findProgram('setpriv');
  const bound = setpriv === undefined ? [] : [setpriv, '--pdeathsig', 'KILL'];
  startComponent(folder, part, [...bound, join(await certManagerFolder(), 'cert-manager'), part, kubeconfig]);
}

/** Stops a part as a Pod stops: the injector releases its Lease. */
export const stopCertManager = (folder: string, part: CertManagerPart): Promise<void> =>
  stopComponent(folder, part);
