import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startComponent, stopComponent } from './component.ts';
import { goProgram } from './go-program.ts';

/** Both ends of the konnectivity tunnel between control plane and nodes, as one program. */
export const konnectivityBinary = (): Promise<string> => goProgram('konnectivity', ['-ldflags=-s -w', '.']);

/** A tunnel: its server receives the API server's connections into the cluster, and its agent makes them. */
export interface Tunnel {
  /** File for `--egress-selector-config-file`. */
  readonly configuration: string;
  startAgent(): void;
  stopAgent(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the server, beside the control plane in `folder`, on five ports of 127.0.0.1 from `port` on; no agent. */
export async function startTunnel(
  folder: string,
  port: number,
  cgroupFiles: readonly string[],
): Promise<Tunnel> {
  const program = await konnectivityBinary();
  const pki = join(folder, 'pki');
  const socket = join(folder, 'tunnel.sock');
  const configuration = join(folder, 'egress.json');
  const connection = { proxyProtocol: 'GRPC', transport: { uds: { udsName: socket } } };
  const egressSelections = [{ name: 'cluster', connection }];
  const typed = { apiVersion: 'apiserver.k8s.io/v1beta1', kind: 'EgressSelectorConfiguration' };
  writeFileSync(configuration, JSON.stringify({ ...typed, egressSelections }));
  const start = (end: 'server' | 'agent', ...args: readonly string[]): void =>
    startComponent(folder, `tunnel-${end}`, [program, end, ...args], cgroupFiles);
  start(
    'server',
    `--uds-name=${socket}`,
    '--server-port=0',
    `--agent-port=${port}`,
    `--admin-port=${port + 1}`,
    `--health-port=${port + 2}`,
    `--cluster-cert=${pki}/apiserver.crt`,
    `--cluster-key=${pki}/apiserver.key`,
  );
  const stopAgent = (): Promise<void> => stopComponent(folder, 'tunnel-agent', 'SIGKILL');
  return {
    configuration,
    startAgent: () =>
      start(
        'agent',
        '--proxy-server-host=127.0.0.1',
        `--proxy-server-port=${port}`,
        `--admin-server-port=${port + 3}`,
        `--health-server-port=${port + 4}`,
        `--ca-cert=${pki}/ca.crt`,
      ),
    stopAgent,
    stop: async () => {
      await stopAgent();
      await stopComponent(folder, 'tunnel-server', 'SIGKILL');
    },
  };
}
