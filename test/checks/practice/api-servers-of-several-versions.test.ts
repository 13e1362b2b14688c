import { apiServersOfSeveralVersions } from '../../../src/checks/practice/api-servers-of-several-versions.ts';
import { describeCheck } from '../../support/describe-check.ts';
import { lists, pod } from '../../support/snapshot.ts';

const apiServer = (name: string, image: string) =>
  pod({
    metadata: { namespace: 'kube-system', name },
    spec: { containers: [{ name: 'kube-apiserver', image }] },
  });
const running = (...images: readonly string[]) => ({
  version: 'v1.36.4',
  apiServerPods: lists({
    'kube-apiserver': images.map((image, at) => apiServer(`kube-apiserver-n${at + 1}`, image)),
  }),
});

describeCheck(apiServersOfSeveralVersions, {
  reports: [
    {
      name: 'one control-plane node is upgraded',
      facts: running(
        'registry.example:5000/kube-apiserver:v1.36.4',
        'registry.example:5000/kube-apiserver:v1.37.1@sha256:0a1b',
      ),
      expect: {
        messageId: 'differs',
        confidence: 'derived',
        subject: { kind: 'Pod', namespace: 'kube-system', name: 'kube-apiserver-n2' },
        data: { versions: 'v1.36.4 and v1.37.1', version: 'v1.36.4' },
      },
    },
  ],
  reportsNothing: [
    {
      name: 'all run the version that responded',
      facts: running('registry.example/kube-apiserver:v1.36.4', 'registry.example/kube-apiserver:v1.36.4'),
    },
    {
      name: 'patches differ',
      facts: running('registry.example/kube-apiserver:v1.36.4', 'registry.example/kube-apiserver:v1.36.2'),
    },
    {
      name: 'an image that is named by its digest',
      facts: running('registry.example/kube-apiserver@sha256:0a1b'),
    },
    { name: 'a managed control plane shows none', facts: running() },
  ],
});
