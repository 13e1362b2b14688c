import { expect } from 'chai';
import { type DemoApiServer, startApiServer } from '../../src/demo/api-server/server.ts';
import { clusterContent } from '../../src/demo/cluster/cluster-content.ts';
import { installation } from '../../src/demo/cluster/installation.ts';
import { scenarios } from '../../src/demo/scenarios/catalogue.ts';
import type { Scenario } from '../../src/demo/scenarios/scenario.ts';
import { inProcess } from '../support/in-process.ts';
import { fileWith, plugin, startPlugin } from '../support/plugin.ts';
import { explanationSchemaErrors } from '../support/schema.ts';
import { webhook } from '../support/snapshot.ts';

const error =
  'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://a.shop.svc:443/v?timeout=10s": service "a" not found';
const explain = (...args: readonly string[]) => inProcess(['explain', '--no-cluster', ...args]);

describe('kubectl webhook explain', () => {
  it('prints the meaning of an error, possible causes, and commands', async () => {
    const { code, stdout, stderr } = await explain(error);
    expect(stdout).to.include('Service does not exist in that').and.include('(service-missing)');
    expect(stdout).to.include('kubectl webhook doctor a.example.com');
    expect(stderr).to.equal('');
    expect(code).to.equal(0);
  });
  it('says in the first lines what happened, the likeliest cause, how to confirm it, and the first step', async () => {
    const text =
      'Error from server (InternalError): error when creating "a.yaml": Internal error occurred: failed calling webhook "vingress.elbv2.k8s.aws": failed to call webhook: Post "https://webhook-service.shop.svc:443/validate-networking-v1-ingress?timeout=10s": dial tcp 203.0.113.9:9443: i/o timeout';
    const { stdout } = await explain(text);
    const lines = stdout.split('\n').slice(0, 12);
    expect(lines.slice(0, 2).join(' ')).to.equal(
      'failed calling webhook "vingress.elbv2.k8s.aws" (webhook-service.shop.svc:443, timeout=10s): dial tcp 203.0.113.9:9443: i/o timeout',
    );
    expect(lines[2]).to.match(/^ {2}Means {7}The API server got no connection in time\. /);
    expect(lines.join('\n'))
      .to.match(/^ {2}Likeliest {3}Firewall may block the target port \(firewall-target-port\): \d+ of/m)
      .and.match(/^ {2}Confirm {5}kubectl webhook doctor vingress\.elbv2\.k8s\.aws$/m);
    expect(stdout.split('\n').slice(0, 15).join('\n')).to.match(/^ {2}Fix {9}Allow the target port/m);
  });
  it('looks for a missing Service, in its first step, before it deletes anything', async () => {
    const { stdout } = await explain(error);
    const lines = stdout.split('\n');
    const fix = lines.findIndex((line) => /^ {2}Fix {2}/.test(line));
    expect(lines.slice(fix, fix + 2)).to.deep.equal([
      '  Fix         Look for the Service in other namespaces:',
      '                kubectl get services -A --field-selector metadata.name=a',
    ]);
    expect(lines.findIndex((line) => line.endsWith('kubectl delete KIND NAME'))).to.be.greaterThan(fix + 3);
    expect(stdout)
      .to.match(/^ +kubectl -n shop get services$/m)
      .and.match(/^ {2}Confirm {5}Several causes give this error\. To find the one that applies:$/m)
      .and.not.include('Fix for 2');
    const { stdout: document } = await explain(error, '-o', 'json');
    const [{ advice, causes }] = JSON.parse(document).matches;
    expect(advice).to.match(/^Look for the Service/);
    expect(causes[0].advice).to.equal(advice);
  });
  it('prints first which object it is, if the first command deletes one', async () => {
    const { stdout } = await explain(
      'object="shop/a" kind="RoleBinding" type="Warning" reason="OwnerRefInvalidNamespace" message="ownerRef [app.k8s.io/v1beta1/Application, namespace: shop, name: a, uid: 1] does not exist in namespace \\"shop\\""',
    );
    expect(stdout).to.match(/^ {2}Fix {9}KIND and NAME are in the output of:\n {16}kubectl webhook list$/m);
  });
  it('deletes no CRD whose conversion webhook has no Service', async () => {
    const { stdout } = await explain(
      'conversion webhook for example.com/v1, Kind=Widget failed: Post "https://a.shop.svc:443/c?timeout=30s": service "a" not found',
    );
    expect(stdout)
      .to.match(/^ +kubectl edit crd NAME$/m)
      .and.match(/^ {14}NAME is in the output of:$/m)
      .and.not.include('kubectl delete');
  });
  it('prints the manual steps for the first three causes, with the names of the text', async () => {
    const { stdout } = await explain(
      error.replace('service "a" not found', 'no endpoints available for service "a"'),
    );
    expect(stdout)
      .to.match(/^ {2}Fix +Run `kubectl webhook wait a\.example\.com`\./m)
      .and.match(/^ {2}Fix for 2 +Find the Pod that is not Ready:$/m)
      .and.match(/^ +kubectl -n shop get endpointslices,pods -o wide$/m);
  });
  it('prints a number of incidents only if most of them had this cause, and only this error decides', async () => {
    const incidents = async (text: string) =>
      JSON.parse((await explain(text, '-o', 'json')).stdout).matches[0].incidents;
    const denied = error.replace(
      'service "a" not found',
      'x509: certificate has expired or is not yet valid',
    );
    const { known, withLikeliest } = await incidents(denied);
    expect(2 * withLikeliest).to.be.at.least(known);
    const unserved = (before: string) =>
      `${before}: conversion webhook for example.com/v1, Kind=Widget failed: Post "https://a.shop.svc:443/c?timeout=30s": no endpoints available for service "a"`;
    for (const text of [
      unserved('Error from server'),
      unserved('Failed to list *v1.Widget'),
      `shop 3m Warning FailedCreate replicaset/a-7c9d Error creating: ${error.replace('service "a" not found', 'no endpoints available for service "a"')}`,
    ])
      expect(await incidents(text), text).to.equal(undefined);
  });
  it('begins with a step that only reads, with the name of a Service whose namespace the text does not name', async () => {
    const { stdout } = await explain('service "policy" not found');
    const commands = stdout.split('\n').filter((line) => /^ {16}kubectl /.test(line));
    expect(commands[0]?.trim()).to.equal('kubectl get services -A --field-selector metadata.name=policy');
  });
  it('prints the steps for the text, if it shows more than the first cause, with the namespace of the text', async () => {
    const { stdout } = await explain('Failed to watch *v1.Namespace: Unauthorized');
    expect(stdout).to.match(/^ {2}Fix +Restart the Pods, so that they get a new token:$/m);
    const stuck =
      'Name: shop Labels: kubernetes.io/metadata.name=shop Status: Terminating NamespaceContentRemaining True SomeResourcesRemain Some resources are remaining: widgets.example.com has 1 resource instances';
    const { stdout: remaining } = await explain(stuck);
    expect(remaining).to.match(/^ +kubectl get namespace shop -o yaml$/m);
    expect(remaining).to.not.include('APIService');
  });
  it('permits a forbidden request with the names of the text, and looks for a binding', async () => {
    const forbidden = (where: string): string =>
      `leases.coordination.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot get resource "leases" in API group "coordination.k8s.io" ${where}`;
    const { stdout } = await explain(forbidden('in the namespace "kube-system"'), '-o', 'json');
    expect(JSON.parse(stdout).matches[0].advice)
      .to.include('`kubectl get rolebindings,clusterrolebindings -A -o wide | grep policy`')
      .and.include('`kubectl -n kube-system create role shop:policy:leases --verb=get,create,update')
      .and.include('--serviceaccount=shop:policy`')
      .and.not.include('clusterrole ');
    const { stdout: wide } = await explain(forbidden('at the cluster scope'), '-o', 'json');
    expect(JSON.parse(wide).matches[0].advice)
      .to.include('`kubectl create clusterrole shop:policy:leases')
      .and.not.include('create role ');
  });
  it('names the webhook of a denial in its command, and in no command of kubectl', async () => {
    const { stdout } = await explain('admission webhook "a.example.com" denied the request: no');
    expect(stdout).to.include('kubectl webhook doctor a.example.com -f FILE');
    const { stdout: other } = await explain(error);
    expect(other).to.include('kubectl delete KIND NAME');
    expect(other).to.include('KIND and NAME are in the output of:');
  });
  it('reads a file, and prints one document', async () => {
    const { code, stdout } = await explain('-f', fileWith(error), '-o', 'json');
    const document = JSON.parse(stdout);
    expect(explanationSchemaErrors(document)).to.deep.equal([]);
    expect(document.matches[0]).to.include({
      class: 'call-failure',
      webhook: 'a.example.com',
      link: 'routing',
    });
    expect(code).to.equal(0);
  });
  it('reads a pipe of the shell without a dash', async () => {
    const pipe = ['sh', '-c', `printf '%s' "$TEXT" | "$@"`, 'sh'];
    const piped = (TEXT: string) => startPlugin(['explain', '--no-cluster'], { TEXT }, undefined, pipe).ended;
    expect((await piped(error)).stdout).to.include('(service-missing)');
    const { code, stderr } = await piped('');
    expect(stderr).to.match(/there is no text to explain/);
    expect(code).to.equal(2);
  });
  it('ends with 3 for an unknown text', async () => {
    const { code, stdout } = await explain('the', 'build', 'failed');
    expect(stdout).to.equal('No known webhook error in this text.\n');
    expect(code).to.equal(3);
  });
  it('prints no control character', async () => {
    const { stdout } = await explain(
      `admission webhook "a.example.com" denied the request: \u001b[31m\u0007 red \u202e`,
    );
    expect(stdout)
      .to.match(/red/)
      .and.not.match(/[\u001b\u0007\u202e]/);
  });
  for (const [what, args, sentence] of [
    ['nothing to explain', [], /there is no text to explain/],
    ['a file that is not there', ['-f', '/nowhere/at/all'], /cannot be read/],
    ['an unknown flag', ['x', '--colour'], /--colour/],
  ] as const)
    it(`ends with 2 for ${what}`, async () => {
      const { code, stdout, stderr } = await explain(...args);
      expect(stderr)
        .to.match(sentence)
        .and.not.match(/\n\s+at /);
      expect([code, stdout]).to.deep.equal([2, '']);
    });

  describe('with a cluster', () => {
    let server: DemoApiServer;
    let admin: string;
    const serviceNamed = (name: string) => ({ namespace: 'shop', name, port: 443 });
    const configuration = (name: string, service: string) => ({
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'ValidatingWebhookConfiguration',
      metadata: { name },
      webhooks: [
        {
          name: 'a.example.com',
          clientConfig: { caBundle: webhook().client.caBundle, service: serviceNamed(service) },
          rules: [
            {
              operations: ['CREATE'],
              apiGroups: [''],
              apiVersions: ['v1'],
              resources: ['configmaps'],
              scope: '*',
            },
          ],
          failurePolicy: 'Fail',
          timeoutSeconds: 10,
          sideEffects: 'None',
          admissionReviewVersions: ['v1'],
        },
      ],
    });
    before(async () => {
      server = await startApiServer({
        objects: [
          { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
          configuration('policy', 'a'),
          {
            apiVersion: 'apiregistration.k8s.io/v1',
            kind: 'APIService',
            metadata: { name: 'v1beta1.external.metrics.k8s.io' },
            spec: {
              group: 'external.metrics.k8s.io',
              version: 'v1beta1',
              caBundle: webhook().client.caBundle,
              service: serviceNamed('a'),
              groupPriorityMinimum: 100,
              versionPriority: 100,
            },
          },
        ],
      });
      admin = fileWith(server.kubeconfig());
    });
    after(() => server.stop());

    it('finds the webhook that an error names, and prints which cause is true now', async () => {
      const { stdout } = await plugin(['explain', error, '--kubeconfig', admin, '-o', 'json']);
      const document = JSON.parse(stdout);
      expect(explanationSchemaErrors(document)).to.deep.equal([]);
      expect(document.matches[0].configuration).to.equal('validating/policy/a.example.com');
      expect(document.cluster).to.deep.include({
        callout: 'validating/policy/a.example.com',
        state: 'failing',
        because: ['service-missing'],
      });
    });
    it('finds no webhook of the same name with another Service than the one that the error names', async () => {
      const two = await startApiServer({
        objects: [configuration('policy', 'a'), configuration('of-another-product', 'b')],
      });
      const { stdout } = await inProcess([
        ...['explain', error, '-o', 'json'],
        ...['--kubeconfig', fileWith(two.kubeconfig())],
      ]);
      await two.stop();
      const document = JSON.parse(stdout);
      expect(document.cluster.callout).to.equal('validating/policy/a.example.com');
      expect(document.clusterMore).to.equal(undefined);
    });
    it('sends requests to the replicas like doctor: accepted connections alone are not healthy', async () => {
      const { parts } = scenarios.find(({ slug }) => slug === 'replica-hangs') as Scenario;
      const hanging = await startApiServer(clusterContent(parts, new Date()));
      const text = error.replaceAll('a.example.com', 'cache-policy.example.com');
      const { stdout } = await inProcess([
        ...['explain', text, '-o', 'json'],
        ...['--kubeconfig', fileWith(hanging.kubeconfig())],
      ]);
      await hanging.stop();
      expect(JSON.parse(stdout).cluster).to.deep.include({ state: 'failing', because: ['replica-hangs'] });
    });
    it('marks that cause among the possible ones', async () => {
      const { stdout } = await inProcess(['explain', error, '--kubeconfig', admin]);
      expect(stdout).to.match(/^ {2}Cause +Service does not exist \(service-missing, found now\)$/m);
      expect(stdout.match(/found now/g)).to.have.length(1);
    });
    it('has that cause first, also in its commands', async () => {
      const { parts } = scenarios.find(({ slug }) => slug === 'service-namespace-missing') as Scenario;
      const server = await startApiServer(clusterContent(parts, new Date()));
      const { stdout } = await inProcess([
        ...['explain', error.replaceAll('a.example.com', 'policy.trial.example.com')],
        ...['--kubeconfig', fileWith(server.kubeconfig())],
      ]);
      await server.stop();
      const text = stdout.replace(/\s+/g, ' ');
      expect(text).to.match(
        / Cause [^.]* \(service-namespace-missing, found now\) .*Others and \d more \(--no-cluster lists them\)/,
      );
      expect(text).to.include('kubectl webhook checks service-namespace-missing');
    });
    it('lists the root cause first, although the text does not show it', async () => {
      const { parts } = scenarios.find(({ slug }) => slug === 'crash-loop') as Scenario;
      const server = await startApiServer(clusterContent(parts, new Date()));
      const text = error.replaceAll('a.example.com', 'payments-policy.example.com');
      const explained = async (end: string) => {
        const { stdout } = await inProcess([
          ...['explain', text.replace(/service "[^"]*" not found$/, end), '-o', 'json'],
          ...['--kubeconfig', fileWith(server.kubeconfig())],
        ]);
        return JSON.parse(stdout).matches[0].causes.map(({ check }: { check: string }) => check);
      };
      const causes = await explained('no endpoints available for service "payments-policy"');
      expect(causes.slice(0, 2)).to.deep.equal(['replica-crash-looping', 'no-ready-endpoint']);
      expect(new Set(causes).size).to.equal(causes.length);
      const others = await explained('x509: certificate has expired or is not yet valid');
      await server.stop();
      expect(others[0]).to.equal('serving-certificate-expired');
    });
    it('lists the cause of the text first if another one does not lead to it', async () => {
      const parts = installation('payments/payments-policy', {
        service: { ports: [{ port: 8443, targetPort: 8443 }] },
        validating: { caBundle: '' },
      });
      const server = await startApiServer(clusterContent(parts, new Date()));
      const { stdout } = await inProcess([
        ...[
          'explain',
          `${error.slice(0, error.indexOf('service "a"'))}x509: certificate signed by unknown authority`.replaceAll(
            'a.example.com',
            'payments-policy.example.com',
          ),
          '-o',
          'json',
        ],
        ...['--kubeconfig', fileWith(server.kubeconfig())],
      ]);
      await server.stop();
      const [{ causes }] = JSON.parse(stdout).matches;
      expect(causes[0].check).to.equal('ca-bundle-empty');
    });
    it('finds what fails for the cause by the Service alone, under one heading', async () => {
      const { stdout } = await inProcess(['explain', 'service "a" not found', '--kubeconfig', admin]);
      expect(stdout.replace(/\s+/g, ' ')).to.include(
        'In this cluster ✖ failing validating/policy/a.example.com Service shop/a does not exist (service-missing) ',
      );
      expect(stdout.match(/In this cluster/g)).to.have.length(1);
    });
    it('reports that nothing has the Service of a text', async () => {
      const { stdout } = await inProcess(['explain', 'service "gone" not found', '--kubeconfig', admin]);
      expect(stdout).to.include('there is no webhook or APIService with Service gone');
    });
    for (const [what, text] of [
      [
        'the resource',
        'unable to fetch metrics from external metrics API: the server is currently unable to handle the request (get s0-cron.external.metrics.k8s.io)',
      ],
      [
        'the version',
        'unable to retrieve the complete list of server APIs: external.metrics.k8s.io/v1beta1: the server is currently unable to handle the request',
      ],
      [
        'the kind of metrics',
        'unable to fetch metrics from external metrics API: the server was unable to return a response in the time allotted',
      ],
    ] as const)
      it(`finds the APIService by ${what} in a text`, async () => {
        const { stdout } = await inProcess(['explain', text, '--kubeconfig', admin]);
        const name = 'apiservice/v1beta1.external.metrics.k8s.io';
        expect(stdout.replace(/ \\\n +/g, ' ')).to.include(
          `kubectl webhook doctor ${name} --kubeconfig ${admin}\n`,
        );
        expect(stdout.replace(/\s+/g, ' ')).to.include(`In this cluster ✖ failing ${name} `);
      });
    it('reports that no APIService has the resource of a text', async () => {
      const text = 'the server is currently unable to handle the request (get nodes.metrics.k8s.io)';
      const { stdout } = await inProcess(['explain', text, '--kubeconfig', admin]);
      expect(stdout.replace(/\s+/g, ' ')).to.include(
        'In this cluster there is no APIService with a Service for nodes.metrics.k8s.io',
      );
    });
    it('examines all for a resource without a group', async () => {
      const text = 'the server is currently unable to handle the request (get pods)';
      const { stdout } = await inProcess(['explain', text, '--kubeconfig', admin]);
      expect(stdout).to.not.include('there is no');
    });
    it('finds only APIServices for a text about an aggregated API', async () => {
      const text =
        'Error from server (ServiceUnavailable): the server is currently unable to handle the request';
      const { stdout } = await inProcess(['explain', text, '--kubeconfig', admin]);
      expect(stdout).to.match(/In this cluster\s+✖ failing\s+apiservice\/\S+\s/);
      expect(stdout).to.not.include('validating/');
    });
    it('reports that the cluster does not contain what an error names', async () => {
      const { stdout } = await inProcess([
        'explain',
        error.replaceAll('a.example.com', 'b.example.com'),
        '--kubeconfig',
        admin,
      ]);
      expect(stdout).to.include('In this cluster\n  there is no webhook b.example.com');
    });
    it('explains without a cluster if none can be reached', async () => {
      const { code, stdout } = await inProcess(['explain', error, '--server', 'https://127.0.0.1:1']);
      expect(stdout).to.include('Service does not exist');
      expect(code).to.equal(0);
    });
  });
});
