import { expect } from 'chai';
import { skippedHandler } from '../../../../src/apiserver/sentences/logs/log-lines.ts';
import { logs } from '../../../../src/collect/collectors/workloads/logs.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { refused, replica, tried } from '../../../checks/probed.ts';
import { collectAll } from '../../../support/collect-all.ts';
import { recordedReader } from '../../../support/recorded-reader.ts';
import { namespace, objects, pod, port, service, snapshotOf, webhook } from '../../../support/snapshot.ts';

const crashed = pod({
  status: {
    conditions: [],
    containerStatuses: [
      {
        name: 'webhook',
        ready: false,
        restartCount: 1,
        state: {},
        lastState: { terminated: { exitCode: 1 } },
      },
    ],
  },
});

const unready = pod({
  status: {
    phase: 'Running',
    conditions: [],
    containerStatuses: [{ name: 'webhook', ready: false, restartCount: 0, state: { running: {} } }],
  },
});

const failedToInitialize = pod({
  status: {
    phase: 'Pending',
    conditions: [],
    initContainerStatuses: [
      { name: 'webhook', ready: false, restartCount: 2, state: { terminated: { exitCode: 1 } } },
    ],
  },
});

/** `older`: the log of the instance before, if it differs. */
async function readAll(text: string, of: Pod, older = text) {
  const { name, ...client } = { name: webhook().webhook, clientConfig: webhook().client };
  const reader = recordedReader({
    '/api': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis': { kind: 'APIGroupDiscoveryList', items: [] },
    '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations': [
      { metadata: { name: 'policy' }, webhooks: [{ name, ...client }] },
    ],
    '/api/v1/services': [service()],
    '/api/v1/namespaces': [namespace()],
    '/api/v1/namespaces/shop/pods': [of],
    '/api/v1/namespaces/shop/pods/policy-1/log': text,
  });
  const { snapshot } = await collectAll({
    ...reader,
    text: async (path, query) => {
      const found = await reader.text(path, query);
      return query?.previous === true ? older : found;
    },
  });
  const asked = reader.asked.filter((path) => path.includes('/log'));
  return { log: snapshot.facts.logs.getIfKnown('shop/policy-1/webhook'), asked };
}

const read = async (text: string, of = crashed) => (await readAll(text, of)).log;

describe('the log of a crashed container', () => {
  it('is the output of the program', async () => {
    const text = 'starting\nunable to retrieve container logs for containerd://1\n';
    expect(await read(text)).to.equal(text.trim());
  });

  it('is that of the failed init container itself, which may have no older instance', async () => {
    const { log, asked } = await readAll('cannot initialize', failedToInitialize);
    expect(log).to.equal('cannot initialize');
    expect(asked.filter((path) => path.includes('previous'))).to.deep.equal([]);
  });

  it('ends with the last lines of an init container that still runs', async () => {
    const { status } = failedToInitialize;
    const [init] = status.initContainerStatuses ?? [];
    const waits = { ...init, name: 'webhook', ready: false, restartCount: 0, state: { running: {} } };
    const text = 'connecting\nwaiting for database.shop.svc';
    expect(await read(text, pod({ status: { ...status, initContainerStatuses: [waits] } }))).to.equal(text);
    const failing = 'waiting for the database\nerror: cannot connect';
    expect(await read(failing, pod({ status: { ...status, initContainerStatuses: [waits] } }))).to.equal(
      failing,
    );
  });

  it('is not read of a Pod that was evicted', async () => {
    const evicted = { ...crashed, status: { ...crashed.status, phase: 'Failed', reason: 'Evicted' } } as Pod;
    expect((await readAll('', evicted)).asked).to.deep.equal([]);
  });

  it('contains the message before a long stack trace', async () => {
    const frames = Array.from({ length: 40 }, (_, at) => `main.call${at}()`);
    const lines = (await read(['starting', 'panic: no flag', '', ...frames].join('\n')))?.split('\n');
    expect(lines).to.deep.equal(['panic: no flag', ...frames.slice(-10)]);
  });

  it('contains the first frame of the program itself after a runtime error', async () => {
    const own = '\t/src/validation/handler.go:88 +0x21';
    const frames = Array.from({ length: 40 }, (_, at) => `main.call${at}()`);
    const error = 'panic: assignment to entry in nil map';
    const trace = [
      error,
      '',
      'goroutine 1 [running]:',
      'panic()',
      '\t/usr/local/go/src/runtime/panic.go:1 +0x1',
    ];
    const lines = (await read([...trace, 'validation.Handle()', own, ...frames].join('\n')))?.split('\n');
    expect(lines).to.deep.equal([error, own, ...frames.slice(-10)]);
  });

  it('contains the refused argument above the usage text', async () => {
    const known = Array.from({ length: 40 }, (_, at) => `  -argument-${at} string`);
    const refused = 'flag provided but not defined: -cert-dri';
    const lines = (await read([refused, 'Usage of /webhook:', ...known].join('\n')))?.split('\n');
    expect(lines).to.deep.equal([refused, ...known.slice(-10)]);
  });

  for (const excuse of [
    'unable to retrieve container logs for containerd://b76dbdeacccce5b5fb0e1c4c6846edd777391ad8242cdfe456712d72a64a7528',
    'failed to try resolving symlinks in path "/var/log/pods/x/2.log": lstat /var/log/pods/x: no such file or directory\n',
  ]) {
    it(`is empty if the kubelet returns: ${excuse.slice(0, 40)}…`, async () =>
      expect(await read(excuse)).to.equal(''));
    it(`is that of the present instance if the older one was removed meanwhile: ${excuse.slice(0, 40)}…`, async () => {
      const { log } = await readAll('error: no flag', crashed, excuse);
      expect(log).to.equal('error: no flag');
    });
  }

  it('is that of the older instance if the container has started again meanwhile', async () => {
    const ended = pod({
      status: {
        conditions: [],
        containerStatuses: [
          { name: 'webhook', ready: false, restartCount: 1, state: { terminated: { exitCode: 1 } } },
        ],
      },
    });
    expect((await readAll('', ended, 'error: no flag')).log).to.equal('error: no flag');
  });
});

describe('the log of a container that runs and is not Ready', () => {
  it('contains the lines that name the problem, and the last ones, which show what it waits for', async () => {
    const text = 'I1 starting\nE1123 10:00:00.0 1 main.go:1] no certificate\nI1 a\nI1 b\nI1 waiting\n';
    expect(await read(text, unready)).to.equal(
      'E1123 10:00:00.0 1 main.go:1] no certificate\nI1 a\nI1 b\nI1 waiting',
    );
  });

  it('contains the handler that the program registers, beside those that it skips', async () => {
    const registered = 'INFO controller-runtime.builder Registering a mutating webhook';
    const skipped = 'INFO controller-runtime.builder skip registering a validating webhook, object does not';
    const last = Array.from({ length: 10 }, (_, at) => `INFO waiting ${'x'.repeat(at)}`);
    const kept = (await read([registered, skipped, ...last].join('\n'), unready)) ?? '';
    expect(kept).to.contain(registered);
    expect(skippedHandler(kept)).to.equal(undefined);
  });
});

describe('the log of a running container', () => {
  const started = '2026-01-01T00:00:00Z';
  const failing = (since: string, port: number): Pod =>
    pod({
      spec: {
        containers: [
          { name: 'webhook', readinessProbe: { tcpSocket: { port } }, ports: [{ containerPort: 8443 }] },
        ],
      },
      status: {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: since }],
        containerStatuses: [
          { name: 'webhook', ready: false, restartCount: 0, state: { running: { startedAt: started } } },
        ],
      },
    });
  const sinceOf = async (of: Pod): Promise<string | undefined> => {
    const [log] = (await readAll('', of)).asked;
    expect(log).to.be.a('string');
    return /sinceTime=([^&]+)/.exec(log ?? '')?.[1];
  };

  it('is read from a minute before the webhook port became unready', async () =>
    expect(await sinceOf(failing('2026-01-01T02:00:00Z', 8443))).to.equal('2026-01-01T01:59:00.000Z'));
  it('is read from its start if it never was ready', async () =>
    expect(await sinceOf(failing('2026-01-01T00:00:01Z', 8443))).to.equal(undefined));
  it('is read from its start if its readiness probe checks another port', async () =>
    expect(await sinceOf(failing('2026-01-01T02:00:00Z', 8081))).to.equal(undefined));
});

describe('the container of a Ready Pod whose log is read', () => {
  const wantedOf = (annotations: Readonly<Record<string, string>>, ...declared: readonly number[]) => {
    const one = replica(1, { metadata: { name: 'policy-1', annotations } });
    const names = ['kube-rbac-proxy', 'manager'];
    const containers = names.map((name, at) => ({ name, ports: [{ containerPort: declared[at] ?? 1 }] }));
    const facts = tried([refused], {
      pods: [{ ...one, spec: { ...one.spec, containers }, status: { ...one.status, phase: 'Running' } }],
      facts: { services: objects(service({ ports: [port({ targetPort: 9443 })] })) },
    });
    const chosen = facts.callouts ?? [];
    return [...logs.wants(snapshotOf(facts).facts, { chosen, topics: ['failures'], examineAll: false })];
  };
  const shown = { 'kubectl.kubernetes.io/default-container': 'kube-rbac-proxy' };

  it('is the one that declares the called port', () =>
    expect(wantedOf(shown, 8443, 9443)).to.deep.equal(['shop/policy-1/manager']));
  it('is the one whose log kubectl shows, if none declares it', () => {
    expect(wantedOf(shown, 8443, 8444)).to.deep.equal(['shop/policy-1/kube-rbac-proxy']);
    expect(wantedOf({ ...shown, 'kubectl.kubernetes.io/default-container': 'manager' }, 1, 2)).to.deep.equal([
      'shop/policy-1/manager',
    ]);
    expect(wantedOf({}, 8443, 8444)).to.deep.equal(['shop/policy-1/kube-rbac-proxy']);
  });
});
