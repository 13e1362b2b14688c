import { isDeepStrictEqual } from 'node:util';
import type { BackendOptions, DemoBackend } from '../backend/options.ts';
import { type CertificateKind, servingCertificate } from '../certificate/demo-certificates.ts';

/**
 * The process in a Pod, as seen by connections to its ports. Default: an HTTPS server whose certificate the
 * caBundle verifies for all Services that select the Pod, which allows everything and keeps idle connections
 * for longer than the API server does.
 */
export interface Process
  extends Pick<
    BackendOptions,
    | 'answer'
    | 'message'
    | 'patch'
    | 'status'
    | 'body'
    | 'delay'
    | 'fault'
    | 'atPath'
    | 'gate'
    | 'leader'
    | 'ready'
    | 'minTls'
    | 'maxTls'
    | 'api'
    | 'idleTimeout'
  > {
  /** Default: `trusted`. `none`: plain HTTP. */
  readonly certificate?: CertificateKind | 'none';
  /** Requires client certificates from a CA that has issued none here. */
  readonly demandsClientCertificate?: boolean;
  /** Default: everywhere. */
  readonly listens?: 'everywhere' | 'on-loopback' | 'nowhere';
  /** How the network handles connections from the API server to the Pod; by default it forwards them. */
  readonly network?: 'rejects' | 'drops' | 'not-allowed';
}

/** A Pod's process, with its ports and server names. */
export interface RunningProcess extends Process {
  /** Names in its certificate. */
  readonly names: readonly string[];
  readonly ports: readonly number[];
}

/** The client: a kubelet on the Pod's loopback, or the API server at the Pod's address. */
export type Caller = 'kubelet' | 'api-server';

/** The result of a connection: the port of 127.0.0.1 that stands in for the Pod's port, or the failure. */
export type ConnectionOutcome =
  | { readonly port: number }
  | { readonly failed: 'connection refused' | 'no route to host' | 'not allowed' | 'no response' };

/** The network of all Pods. */
export interface PodNetwork {
  /** @param pod `namespace/name` */
  connect(pod: string, port: number, caller: Caller): Promise<ConnectionOutcome>;
  /** Replaces the running processes. One that has changed is stopped, and its connections are closed. */
  run(processes: ReadonlyMap<string, RunningProcess>): void;
  /** Stops all backends and closes their connections. */
  close(): Promise<void>;
}

const refused = { failed: 'connection refused' } as const;
const onTheWay = {
  rejects: { failed: 'no route to host' },
  drops: { failed: 'no response' },
  'not-allowed': { failed: 'not allowed' },
} as const;

function optionsOf(process: RunningProcess, now: Date): BackendOptions {
  const { certificate = 'trusted', demandsClientCertificate, names, ports: _ports, ...rest } = process;
  const { listens: _listens, network: _network, ...options } = rest;
  const pair = certificate === 'none' ? undefined : servingCertificate(certificate, names, now);
  return {
    ...options,
    ...(pair === undefined ? {} : { certificate: { cert: pair.certificate, key: pair.key } }),
    ...(demandsClientCertificate === true
      ? { clientCa: servingCertificate('of-another-authority', names, now).authority }
      : {}),
  };
}

/** Creates a network of backends on loopback. Each starts with the first connection to it. */
export function podNetwork(first: ReadonlyMap<string, RunningProcess>, now: Date): PodNetwork {
  let processes = first;
  const backends = new Map<string, Promise<DemoBackend>>();
  const backendOf = (key: string, process: RunningProcess): Promise<DemoBackend> => {
    const known = backends.get(key);
    if (known !== undefined) return known;
    const started = import('../backend/backend.ts').then(({ startBackend }) =>
      startBackend(optionsOf(process, now)),
    );
    backends.set(key, started);
    return started;
  };
  return {
    async connect(pod, port, caller) {
      const process = processes.get(pod);
      const outside = caller === 'api-server';
      if (outside && process?.network !== undefined) return onTheWay[process.network];
      if (process === undefined || !process.ports.includes(port)) return refused;
      const { listens = 'everywhere' } = process;
      if (listens === 'nowhere' || (outside && listens === 'on-loopback')) return refused;
      const backend = await backendOf(`${pod}:${port}`, process);
      return backend.port === 0 ? refused : { port: backend.port };
    },
    run(next) {
      for (const [key, started] of backends) {
        const pod = key.slice(0, key.lastIndexOf(':'));
        if (isDeepStrictEqual(processes.get(pod), next.get(pod))) continue;
        backends.delete(key);
        started.then((backend) => backend.close()).catch(() => undefined);
      }
      processes = next;
    },
    async close() {
      const started = await Promise.allSettled(backends.values());
      await Promise.all(started.map((one) => (one.status === 'fulfilled' ? one.value.close() : undefined)));
    },
  };
}
