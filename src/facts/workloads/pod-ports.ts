import type { Container, Pod, Probe } from '../objects/pod.ts';
import { settings } from './leaders.ts';
import { allContainers } from './pod-context.ts';

/** Ports that a Pod's containers declare. */
export const declaredPorts = (pod: Pod): readonly number[] => [
  ...new Set(allContainers(pod).flatMap(({ ports = [] }) => ports.map(({ containerPort }) => containerPort))),
];

/** The port of a probe as a number; undefined if the probe runs a command, or its port is unknown. */
export function probePort(
  { httpGet, tcpSocket, grpc }: Probe,
  { ports = [] }: Pick<Container, 'ports'>,
): number | undefined {
  const port = httpGet?.port ?? tcpSocket?.port ?? grpc?.port;
  return typeof port === 'number' ? port : ports.find(({ name }) => name === port)?.containerPort;
}

/** Ports that probes of the kubelet call over plain HTTP: no webhook is served there. */
export const plainHttpPorts = ({ spec }: Pod): readonly number[] =>
  spec.containers.flatMap((container) =>
    [container.livenessProbe, container.readinessProbe, container.startupProbe].flatMap((probe) => {
      const { scheme = 'HTTP' } = probe?.httpGet ?? {};
      const isPlain = probe?.httpGet !== undefined && scheme === 'HTTP';
      return (isPlain ? probePort(probe, container) : undefined) ?? [];
    }),
  );

/** The port in the value of a setting: `9443`, `:9443`, `0.0.0.0:9443`; undefined if it is none. */
export function portIn(value: string): number | undefined {
  const port = Number(/^(?:.*:)?(?<port>\d{2,5})$/.exec(value)?.groups?.port);
  return port > 0 ? port : undefined;
}

/** The flags and environment variables of a container that set the port of a server, with that port. */
export const serverSettings = (container: Container): readonly (readonly [name: string, port: number])[] =>
  settings(container).flatMap(([name, value = '']) => {
    const port = /port|addr|listen|bind/i.test(name) ? portIn(value) : undefined;
    return port === undefined ? [] : [[name, port] as const];
  });

/** A flag or an environment variable that sets the port of the webhook: `WEBHOOK_PORT`, `--secure-port`. */
const setsPort = /(?:webhook|https|tls|secure|admission).*(?:port|addr|listen|bind)/i;

/** A flag or an environment variable that sets the only port of a server: `--port`, `LISTEN_ADDRESS`. */
const setsOnlyPort =
  /^(?:(?:server|web)[-_.])?(?:port|listen|bind|addr(?:ess)?|(?:listen|bind)[-_]?(?:addr(?:ess)?|port))$/i;

/** A name with the part of the program that it sets up: `--web.listen-address` often is of metrics only. */
const ofPart = /^web|\./i;

/**
 * The ports that flags and environment variables of a Pod set for the webhook, with the name of the setting. A
 * setting that does not name the webhook counts if no container declares its port for another server; one that
 * names a part of the program, if none declares a port.
 */
export function configuredPorts(pod: Pod): readonly (readonly [name: string, port: number])[] {
  const set = pod.spec.containers.flatMap((container) =>
    settings(container).flatMap(([name, value = '']) => {
      const port = portIn(value);
      return port === undefined ? [] : [[name, port] as const];
    }),
  );
  const own = set.filter(([name]) => setsPort.test(name));
  const declared = declaredPorts(pod);
  return own.length > 0
    ? own
    : set.filter(
        ([name, port]) =>
          setsOnlyPort.test(name) && (ofPart.test(name) ? declared.length === 0 : !declared.includes(port)),
      );
}
