import { replicaImagePullFailing } from '../../../../src/checks/replica/pod-start/replica-image-pull-failing.ts';
import type { Pod } from '../../../../src/facts/objects/pod.ts';
import { brief } from '../../../../src/phrases/brief.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { lists, workload } from '../../../support/snapshot.ts';
import { as, beside, doubts, event, events, only, silences, status, unready, waiting } from '../replicas.ts';

// Reasons and messages of a 1.35.4 kubelet with containerd 1.6.
const backOff =
  'Back-off pulling image "registry.invalid/policy:v9": ErrImagePull: failed to pull and unpack image "registry.invalid/policy:v9": failed to resolve reference "registry.invalid/policy:v9"';
const withImage = (image: string, reason: string, message: string) => {
  const bad = waiting(reason, message);
  return { ...bad, spec: { ...bad.spec, containers: [{ name: 'webhook', image }] } };
};
const bad = withImage('registry.invalid/policy:v9', 'ImagePullBackOff', backOff);
const found = { pods: 'Pod policy-1', image: 'registry.invalid/policy:v9', detail: brief(backOff) };

/** A Pod of Deployment policy. */
const made = (one: Pod): Pod =>
  as(one, {
    labels: { app: 'policy', 'pod-template-hash': 'abc' },
    ownerReferences: [
      { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'policy-abc', uid: 'rs-1', controller: true },
    ],
  });
const { template } = workload().spec;
const withoutContainer = workload({
  spec: { template: { ...template, spec: { ...template.spec, containers: [{ name: 'other' }] } } },
});
const withContainer = workload({
  spec: { template: { ...template, spec: { ...template.spec, containers: [{ name: 'webhook' }] } } },
});

describeCheck(replicaImagePullFailing, {
  reports: [
    { name: 'an image that no registry has', facts: only([bad]), expect: { messageId: 'all', data: found } },
    {
      name: 'a container that admission has added',
      facts: only([made(bad)], { workloads: lists({ shop: [withoutContainer] }) }),
      expect: {
        messageId: 'injected',
        data: { ...found, container: 'webhook', maker: 'Deployment policy' },
      },
    },
    {
      name: 'a container of the Pod template',
      facts: only([made(bad)], { workloads: lists({ shop: [withContainer] }) }),
      expect: { messageId: 'all' },
    },
    {
      name: 'a first attempt that failed',
      facts: only([waiting('ErrImagePull', 'not found')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a registry that the node cannot reach',
      facts: only([
        waiting(
          'ErrImagePull',
          'failed to pull and unpack image "registry.invalid/policy:v9": failed to resolve reference "registry.invalid/policy:v9": failed to do request: Head "https://registry.invalid/v2/policy/manifests/v9": dial tcp: lookup registry.invalid on 10.0.0.2:53: no such host',
        ),
      ]),
      expect: { messageId: 'unreachable' },
    },
    {
      name: 'a registry that requires credentials',
      facts: only([
        waiting(
          'ErrImagePull',
          'failed to pull and unpack image "docker.io/team/policy:v9": failed to resolve reference "docker.io/team/policy:v9": pull access denied, repository does not exist or may require authorization: server message: insufficient_scope: authorization failed',
        ),
      ]),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a tag that contains the number of a status',
      facts: only([
        waiting(
          'ErrImagePull',
          'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/team/policy:8.0.403": failed to resolve reference "docker.io/team/policy:8.0.403": docker.io/team/policy:8.0.403: not found',
        ),
      ]),
      expect: { messageId: 'absent' },
    },
    {
      name: 'a registry that responds with a status',
      facts: only([
        waiting(
          'ErrImagePull',
          'failed to pull and unpack image "registry.example.com/policy:v9": failed to resolve reference "registry.example.com/policy:v9": unexpected status from HEAD request to https://registry.example.com/v2/policy/manifests/v9: 403 Forbidden',
        ),
      ]),
      expect: { messageId: 'refused' },
    },
    {
      name: 'a Secret for the login that does not exist',
      facts: only(
        [waiting('ErrImagePull', 'failed to authorize: failed to fetch anonymous token: 401 Unauthorized')],
        events(
          event(
            'FailedToRetrieveImagePullSecret',
            'Unable to retrieve some image pull secrets (regcred); attempting to pull the image may not succeed.',
          ),
        ),
      ),
      expect: {
        messageId: 'secret',
        data: {
          pods: 'Pod policy-1',
          image: '',
          secret: 'regcred',
          detail: 'failed to authorize: failed to fetch anonymous token: 401 Unauthorized',
        },
      },
    },
    {
      name: 'a limit of the registry',
      facts: only([
        waiting(
          'ErrImagePull',
          'pulling from host docker.io failed with status code [manifests v9]: 429 Too Many Requests',
        ),
      ]),
      expect: { messageId: 'limited' },
    },
    {
      name: 'a tag that the registry does not have',
      facts: only([
        waiting(
          'ErrImagePull',
          'rpc error: code = NotFound desc = failed to pull and unpack image "docker.io/team/policy:v9": failed to resolve reference "docker.io/team/policy:v9": docker.io/team/policy:v9: not found',
        ),
      ]),
      expect: { messageId: 'absent' },
    },
    {
      name: 'a name that is none',
      facts: only([waiting('InvalidImageName', 'Failed to apply default image tag "Bad Name:1"')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'an image that must not be pulled and does not exist',
      facts: only([waiting('ErrImageNeverPull', 'Container image "localhost/nope:1" is not present')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'the image of an init container',
      facts: only(
        [
          unready({
            spec: {
              initContainers: [{ name: 'setup', image: 'setup:1' }],
              containers: [{ name: 'webhook', image: 'policy:1' }],
            },
            status: {
              initContainerStatuses: [
                status({ name: 'setup', state: { waiting: { reason: 'ErrImagePull' } } }),
              ],
              containerStatuses: [status({ state: { waiting: { reason: 'PodInitializing' } } })],
            },
          }),
        ],
        { workloads: lists({ shop: [] }) },
      ),
      expect: { messageId: 'all', data: { pods: 'Pod policy-1', image: 'setup:1', detail: 'ErrImagePull' } },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([bad]),
      expect: { messageId: 'some', data: found },
    },
  ],
  reportsNothing: [
    ...silences(bad),
    { name: 'the container is being created', facts: only([waiting('ContainerCreating')], events()) },
    { name: 'the container crashes', facts: only([waiting('CrashLoopBackOff')]) },
  ],
  isUnknown: doubts,
});
