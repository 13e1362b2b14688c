import { parseArgs } from 'node:util';
import { defined } from '../../../src/basics/collections.ts';
import { answers, faults, gates, tlsVersions } from '../../../src/demo/backend/options.ts';
import type { ProgramOptions } from './program.ts';

/** The command line of the backend program. */
export interface BackendArguments {
  readonly options: ProgramOptions;
  /** NAMESPACE/NAME of the Lease that decides which Pod is the leader; undefined: always this one. */
  readonly lease: string | undefined;
  /** File with the CA for client certificates. */
  readonly clientCaFile: string | undefined;
  /** Milliseconds from the start until it listens; its readiness port does not wait. */
  readonly listenAfter: number | undefined;
}

const flags = {
  'cert-dir': { type: 'string' },
  'no-reload': { type: 'boolean' },
  port: { type: 'string', default: '8443' },
  bind: { type: 'string', default: '0.0.0.0' },
  answer: { type: 'string' },
  message: { type: 'string' },
  patch: { type: 'string' },
  status: { type: 'string' },
  body: { type: 'string' },
  'listen-after': { type: 'string' },
  delay: { type: 'string' },
  fault: { type: 'string' },
  'leader-gated': { type: 'string' },
  'warm-up': { type: 'string' },
  lease: { type: 'string' },
  'readiness-port': { type: 'string' },
  'not-ready': { type: 'boolean' },
  'idle-timeout': { type: 'string' },
  'client-ca': { type: 'string' },
  'tls-min': { type: 'string' },
  'tls-max': { type: 'string' },
  api: { type: 'string' },
} as const;

/** Parses the arguments of the backend program. Throws an error with one sentence for an invalid one. */
export function parseBackendArguments(args: readonly string[]): BackendArguments {
  const { values } = parseArgs({ args: [...args], options: flags });
  const folder = values['cert-dir'];
  const lease = values.lease;
  if (lease !== undefined && !/^[^/]+\/[^/]+$/.test(lease)) throw new Error('--lease must be NAMESPACE/NAME');
  const listenAfter = duration('--listen-after', values['listen-after']);
  return {
    lease,
    clientCaFile: values['client-ca'],
    listenAfter,
    options: defined({
      folder,
      reload: values['no-reload'] ? false : undefined,
      port: number('--port', values.port),
      bind: values.bind,
      answer: oneOf('--answer', answers, values.answer),
      message: values.message,
      patch: values.patch === undefined ? undefined : (JSON.parse(values.patch) as object[]),
      status: number('--status', values.status),
      body: values.body,
      delay: duration('--delay', values.delay),
      fault: oneOf('--fault', faults, values.fault),
      // --listen-after: it becomes the leader, and listens, after that time.
      gate: listenAfter === undefined ? oneOf('--leader-gated', gates, values['leader-gated']) : 'listener',
      warmUp: duration('--warm-up', values['warm-up']),
      leader: lease === undefined && listenAfter === undefined ? undefined : false,
      readinessPort: number('--readiness-port', values['readiness-port']),
      ready: values['not-ready'] ? false : undefined,
      idleTimeout: duration('--idle-timeout', values['idle-timeout']),
      minTls: oneOf('--tls-min', tlsVersions, values['tls-min']),
      maxTls: oneOf('--tls-max', tlsVersions, values['tls-max']),
      api: values.api,
    }),
  };
}

function oneOf<T extends string>(
  flag: string,
  allowed: readonly T[],
  value: string | undefined,
): T | undefined {
  if (value === undefined) return undefined;
  const found = allowed.find((name) => name === value);
  if (found === undefined)
    throw new Error(`invalid ${flag} "${value}": must be one of ${allowed.join(', ')}`);
  return found;
}

function number(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^\d+$/.test(value)) throw new Error(`invalid ${flag} "${value}": must be a number`);
  return Number(value);
}

/** `500ms`, `3s` → milliseconds. */
function duration(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const [, amount, unit] = /^(\d+)(ms|s)$/.exec(value) ?? [];
  if (amount === undefined) throw new Error(`invalid ${flag} "${value}": must be a time such as 500ms or 3s`);
  return Number(amount) * (unit === 's' ? 1000 : 1);
}
