import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import type { RequestTrace, TracedField } from '../../src/diagnose/report.ts';
import { fieldAt, fieldPath } from '../../src/diagnose/request-trace.ts';
import type { Client, KubeObject } from '../cluster/client.ts';
import { openScene, type Scene } from '../cluster/scene.ts';
import { apiServer, needs } from '../cluster/suite.ts';
import { waitFor } from '../cluster/wait.ts';
import { authority, issue } from '../support/certificates.ts';
import { fileWith, plugin } from '../support/plugin.ts';
import { traceSchemaErrors } from '../support/schema.ts';
import { ownAddress } from './oracle-facts.ts';

const group = 'fields.example.com';
const namespace = 'default';

interface Item {
  readonly name: string;
  readonly image: string;
}
interface Part extends KubeObject {
  readonly spec: {
    readonly scheduler?: string;
    readonly other?: string;
    readonly again?: string;
    readonly items: readonly Item[];
  };
}
type Labels = Readonly<Record<string, string>>;

const definition: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `parts.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'parts', kind: 'Part' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

/** Mutating webhooks in call order: the patch of each for an object with these labels. */
const hooks: Readonly<Record<string, (part: Part, labels: Labels) => readonly object[]>> = {
  'a-image': ({ spec }, { early }) =>
    early === undefined || spec.items[0]?.image === 'app:2'
      ? []
      : [{ op: 'replace', path: '/spec/items/0/image', value: 'app:2' }],
  'b-scheduler': ({ spec }) =>
    spec.again === undefined
      ? [{ op: 'add', path: '/spec/scheduler', value: 'b' }]
      : [{ op: 'replace', path: '/spec/scheduler', value: 'again' }],
  'c-parent': ({ spec }, { parent }) => {
    if (parent === undefined) return [];
    const other = parent === 'same' ? {} : { scheduler: 'c' };
    return [{ op: 'replace', path: '/spec', value: { ...spec, other: 'c', ...other } }];
  },
  'd-inject': ({ spec }, { inject }) =>
    inject === undefined || spec.items[0]?.name === 'proxy'
      ? []
      : [{ op: 'add', path: '/spec/items/0', value: { name: 'proxy', image: 'proxy:1' } }],
  'e-image': ({ spec }, { late }) => {
    const index = spec.items.findIndex(({ name }) => name === 'app');
    return late === undefined ? [] : [{ op: 'replace', path: `/spec/items/${index}/image`, value: 'app:3' }];
  },
  'f-again': (_part, { again }) =>
    again === undefined ? [] : [{ op: 'add', path: '/spec/again', value: 'yes' }],
};

const partOf = (name: string, labels: Labels, spec: object = {}): KubeObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Part',
  metadata: { name, namespace, labels },
  spec: { other: 'sent', items: [{ name: 'app', image: 'app:1' }], ...spec },
});

const configurationsAt = (url: string, ca: string): readonly KubeObject[] =>
  Object.keys(hooks).map((name) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name },
    webhooks: [
      {
        name: `${name}.example.com`,
        clientConfig: { url: `${url}/${name}`, caBundle: Buffer.from(ca).toString('base64') },
        rules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE'], resources: ['parts'] }],
        reinvocationPolicy: name === 'b-scheduler' ? 'IfNeeded' : 'Never',
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
      },
    ],
  }));

async function backends(host: string): Promise<{ server: Server; url: string; ca: string }> {
  const ca = await authority({ cn: 'fields-ca' });
  const server = createServer(await issue(ca, { ips: [host] }), async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { uid, object } = JSON.parse(Buffer.concat(chunks).toString('utf8')).request;
    // doctor calls with its test object.
    const part = { ...object, spec: { items: [], ...object.spec } };
    const [, name = ''] = request.url?.split(/[/?]/) ?? [];
    const patch = hooks[name]?.(part, object.metadata.labels ?? {}) ?? [];
    const patched =
      patch.length === 0
        ? {}
        : { patchType: 'JSONPatch', patch: Buffer.from(JSON.stringify(patch)).toString('base64') };
    response.writeHead(200, { 'content-type': 'application/json' }).end(
      JSON.stringify({
        apiVersion: 'admission.k8s.io/v1',
        kind: 'AdmissionReview',
        response: { uid, allowed: true, ...patched },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return { server, url: `https://${host}:${(server.address() as AddressInfo).port}`, ca: ca.cert };
}

describe('the webhook that sets a field of an object that a real API server admits', function () {
  needs('api-server');
  this.timeout(180_000);
  let scene: Scene;
  let client: Client;
  let kubeconfig = '';
  let server: Server | undefined;

  const path = `/apis/${group}/v1/namespaces/${namespace}/parts`;
  const admitted = async (part: KubeObject): Promise<unknown> =>
    JSON.parse((await client.request('POST', `${path}?dryRun=All`, part)).body);

  /** Includes the patches of the webhooks, for the message of a failed case. */
  const fieldOf = async (
    field: string,
    ...args: readonly string[]
  ): Promise<TracedField & { readonly done: string }> => {
    const asked = ['trace', ...args, '--field', field, '--kubeconfig', kubeconfig, '-o', 'json'];
    const { stdout, stderr } = await plugin(asked);
    expect(stdout, stderr).to.not.equal('');
    const document = JSON.parse(stdout) as RequestTrace;
    expect(traceSchemaErrors(document)).to.deep.equal([]);
    const done = document.steps.map(({ webhook, outcome, message }) => [webhook, outcome, message]);
    return { path: field, ...document.field, done: JSON.stringify(done) };
  };
  const fileOf = (part: KubeObject): string => fileWith(JSON.stringify(part), 'part.json');

  before(async () => {
    ({ client, kubeconfig } = await apiServer({}));
    scene = await openScene(client);
    await scene.create(definition);
    await waitFor('a stored Part', () =>
      scene.create(partOf('stored', { early: 'x' }, { scheduler: 'by hand' })),
    );
    const { server: started, url, ca } = await backends(ownAddress());
    server = started;
    for (const object of configurationsAt(url, ca)) await scene.create(object);
    await waitFor('the last webhook to be known', async () =>
      JSON.stringify(await admitted(partOf('probe', { again: 'x' }))).includes('"scheduler":"again"'),
    );
  });
  after(async () => {
    server?.closeAllConnections();
    server?.close();
    await scene?.leave();
  });

  const rows: readonly (readonly [labels: Labels, field: string, by: string | undefined, round?: 1])[] = [
    [{}, 'spec.scheduler', 'b-scheduler'],
    [{}, 'spec.other', undefined],
    [{}, 'spec.none', undefined],
    [{ parent: 'same' }, 'spec.scheduler', 'b-scheduler'],
    [{ parent: 'same' }, 'spec.other', 'c-parent'],
    [{ parent: 'other' }, 'spec.scheduler', 'b-scheduler', 1],
    [{ again: 'x' }, 'spec.scheduler', 'b-scheduler', 1],
    [{ again: 'x', parent: 'other' }, 'spec.scheduler', 'b-scheduler', 1],
    [{ inject: 'x' }, 'spec.items[0].image', 'd-inject'],
    [{ inject: 'x' }, 'spec.items[1].image', undefined],
    [{ inject: 'x', early: 'x' }, 'spec.items[1].image', 'a-image'],
    [{ inject: 'x', early: 'x', late: 'x' }, 'spec.items[1].image', 'e-image'],
    [{ early: 'x' }, 'spec.items[0].image', 'a-image'],
    [{ early: 'x' }, 'spec.items[0].name', undefined],
  ];
  for (const [labels, field, by, round = 0] of rows)
    it(`${field} of ${JSON.stringify(labels)}: ${by ?? 'none'}`, async () => {
      const part = partOf('asked', labels);
      const { setBy, value, done } = await fieldOf(field, '-f', fileOf(part));
      expect(value, done).to.deep.equal(fieldAt(await admitted(part), fieldPath(field) ?? []));
      expect(setBy).to.deep.equal(
        by === undefined ? undefined : { configuration: by, webhook: `${by}.example.com`, round },
      );
    });

  it('is read for a stored object, too', async () => {
    const { setBy, stored } = await fieldOf('spec.scheduler', 'part/stored', '-n', namespace);
    expect([setBy?.configuration, stored]).to.deep.equal(['b-scheduler', 'by hand']);
  });

  it('is unknown if no webhook is called', async () => {
    const { setBy, unknown } = await fieldOf(
      'spec.scheduler',
      '-f',
      fileOf(partOf('asked', {})),
      '--probe',
      'none',
    );
    expect(setBy).to.equal(undefined);
    expect(unknown?.map(({ configuration }) => configuration)).to.deep.equal(Object.keys(hooks));
  });
});
