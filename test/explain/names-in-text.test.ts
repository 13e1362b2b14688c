import { expect } from 'chai';
import { explainTexts } from '../../src/explain/explain.ts';
import { namesForPods, withNamesIn } from '../../src/explain/names-in-text.ts';

const forbidden = (rest: string) =>
  `User "system:serviceaccount:shop:policy" cannot list resource "customresourcedefinitions" in API group "apiextensions.k8s.io" ${rest}`;
const review = 'kubectl auth can-i VERB RESOURCE -n NAMESPACE --as USER';
const pod = 'kubectl -n NAMESPACE describe pod POD';

const cases: readonly (readonly [string, string, string, string])[] = [
  [
    'a permission in a namespace',
    'leases.coordination.k8s.io "policy" is forbidden: User "system:serviceaccount:shop:policy" cannot update resource "leases" in API group "coordination.k8s.io" in the namespace "other"',
    review,
    'kubectl auth can-i update leases.coordination.k8s.io -n other --as system:serviceaccount:shop:policy',
  ],
  [
    'a permission for the whole cluster',
    forbidden('at the cluster scope'),
    review,
    'kubectl auth can-i list customresourcedefinitions.apiextensions.k8s.io -A --as system:serviceaccount:shop:policy',
  ],
  [
    'a subresource of the core group, in a quoted text',
    String.raw`"error":"User \"bob\" cannot update resource \"nodes/status\" in API group \"\" at the cluster scope"`,
    review,
    'kubectl auth can-i update nodes/status -A --as bob',
  ],
  [
    'a Pod that waits, in a list of kubectl',
    'kubectl get pods -n shop\nNAME READY STATUS RESTARTS AGE\npolicy-0 0/1 Pending 0 41m\ninjector-0 1/1 Running 0 41m',
    pod,
    'kubectl -n shop describe pod policy-0',
  ],
  [
    'a Pod in klog',
    'E1127 "Error syncing pod" pod="shop/policy-0" podUID="1"',
    pod,
    'kubectl -n shop describe pod policy-0',
  ],
  [
    'a Pod in JSON',
    '{"level":"error","namespace":"shop","pod":"policy-0","msg":"x"}',
    pod,
    'kubectl -n shop describe pod policy-0',
  ],
  [
    'a Pod of an Event',
    'shop  2m  Warning  BackOff  pod/policy-0  Back-off',
    pod,
    'kubectl -n NAMESPACE describe pod policy-0',
  ],
  [
    'the prefix of a generated name',
    'pods "policy-" is forbidden: x',
    pod,
    'kubectl -n NAMESPACE describe pod POD',
  ],
  ['a subresource', 'cannot get pods/log', pod, 'kubectl -n NAMESPACE describe pod POD'],
  ['several Pods', 'pod/a-1 and pod/a-2 in namespace "shop"', pod, 'kubectl -n shop describe pod POD'],
  ['a namespace in prose', 'failed to create namespace: the server is busy', pod, pod],
  [
    'an owner reference',
    'ownerRef [v1/Pod, namespace: shop, name: a]',
    pod,
    'kubectl -n shop describe pod POD',
  ],
  [
    'a Job and a URL',
    'Get "https://192.0.2.1:443/apis/batch/v1/namespaces/shop/jobs/certgen": jobs.batch "certgen" not found',
    'kubectl -n NAMESPACE logs job/JOB',
    'kubectl -n shop logs job/certgen',
  ],
  [
    'a Secret',
    'MountVolume.SetUp failed for volume "certs" : secret "policy-tls" not found',
    'kubectl -n NAMESPACE describe secret SECRET',
    'kubectl -n NAMESPACE describe secret policy-tls',
  ],
  [
    'a Deployment',
    'deployments.apps "policy" in namespace "shop"',
    'kubectl -n NAMESPACE edit deployment/NAME',
    'kubectl -n shop edit deployment/policy',
  ],
  [
    'another kind than the command',
    'deployments.apps "policy"',
    'kubectl get crd NAME',
    'kubectl get crd NAME',
  ],
  [
    'a permission of the whole cluster in the log of a Pod: the command is about the Pod',
    'pod "policy-0": User "system:serviceaccount:shop:policy" cannot list resource "nodes" in API group "" at the cluster scope',
    pod,
    pod.replace('NAMESPACE', 'shop').replace('POD', 'policy-0'),
  ],
  ['words that a shell would run', 'pod "$(reboot)" namespace "a b"', pod, pod],
];

describe('names in a text', () => {
  for (const [name, text, command, expected] of cases)
    it(`are filled into the command: ${name}`, () => {
      expect(withNamesIn(text, command)).to.equal(expected);
    });
});

describe('namesForPods', () => {
  it('takes the names of a quota and of a missing object', () => {
    expect(namesForPods('exceeded quota: tight, requested: pods=1')).to.deep.equal({ quota: 'tight' });
    expect(namesForPods('failed quota: cpu.small: must specify limits.cpu')).to.deep.equal({
      quota: 'cpu.small',
    });
    expect(namesForPods('serviceaccount "policy" not found')).to.deep.equal({ missing: 'policy' });
    expect(namesForPods('no PriorityClass with name high was found')).to.deep.equal({ missing: 'high' });
  });
  for (const text of [
    'exceeded quota: --all, requested: pods=1',
    'serviceaccount "--all" not found',
    `RuntimeClass "'x\`kubectl\`delete\`'" not found`,
    'no PriorityClass with name -f was found',
    'no PriorityClass with name a;b was found',
  ])
    it(`takes no name that Kubernetes does not allow: ${text}`, () =>
      expect(namesForPods(text)).to.deep.equal({}));

  it('fills in the name of the certificate, and the port of the Pod that the API server dialled', () => {
    const namesIn = (dialled: string) => {
      const call = `failed calling webhook "a.example.com": failed to call webhook: Post "https://policy.shop.svc:443/v?timeout=3s": dial tcp ${dialled}: i/o timeout`;
      const { texts } = explainTexts(call, () => [{ id: 'x', title: 'X', advice: 'Allow `{port}`.' }]);
      const { host, port, address } = texts[0]?.causes[0]?.advice?.names ?? {};
      return { host, port, address };
    };
    const host = 'policy.shop.svc';
    expect(namesIn('10.2.0.3:8443')).to.deep.equal({ host, port: '8443', address: '10.2.0.3:8443' });
    expect(namesIn('10.96.0.3:443')).to.deep.equal({ host, port: undefined, address: undefined });
  });
});
