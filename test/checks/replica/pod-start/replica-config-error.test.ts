import { replicaConfigError } from '../../../../src/checks/replica/pod-start/replica-config-error.ts';
import { describeCheck } from '../../../support/describe-check.ts';
import { ago, beside, doubts, event, events, only, silences, status, unready, waiting } from '../replicas.ts';

const bad = waiting('CreateContainerConfigError', 'secret "policy-env" not found');
const found = { pods: 'Pod policy-1', container: 'webhook', object: 'Secret policy-env' };
// The error of containerd, on a 1.35.4 node.
const noCommand =
  'failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "/no/such/binary": stat /no/such/binary: no such file or directory: unknown';
const startError = {
  exitCode: 128,
  reason: 'StartError',
  message: noCommand,
  startedAt: '1970-01-01T00:00:00Z',
  finishedAt: ago(5),
};

describeCheck(replicaConfigError, {
  reports: [
    {
      name: 'an environment that names a missing Secret',
      facts: only([bad]),
      expect: { messageId: 'object', data: found },
    },
    {
      name: 'an environment that names a missing key',
      facts: only([
        waiting('CreateContainerConfigError', "couldn't find key password in Secret shop/policy-env"),
      ]),
      expect: {
        messageId: 'key',
        data: { ...found, object: 'Secret shop/policy-env', key: 'password' },
      },
    },
    {
      name: 'a command that the image does not have',
      facts: only([
        waiting('RunContainerError', noCommand, { restartCount: 4, lastState: { terminated: startError } }),
      ]),
      expect: {
        messageId: 'command',
        data: { pods: 'Pod policy-1', container: 'webhook', command: '/no/such/binary' },
      },
    },
    {
      name: 'the same in back-off, which is no crash',
      facts: only([
        waiting('CrashLoopBackOff', 'back-off 20s', {
          restartCount: 4,
          lastState: { terminated: startError },
        }),
      ]),
      expect: { messageId: 'command' },
    },
    {
      name: 'a command that is not in $PATH of the image',
      facts: only([
        waiting('RunContainerError', 'exec: "policy": executable file not found in $PATH: unknown', {
          lastState: { terminated: { ...startError, message: '' } },
        }),
      ]),
      expect: {
        messageId: 'command',
        data: { pods: 'Pod policy-1', container: 'webhook', command: 'policy' },
      },
    },
    {
      name: 'a file that exists and is not executable',
      facts: only([
        waiting('RunContainerError', 'exec: "/policy": permission denied: unknown', {
          lastState: { terminated: { ...startError, message: '' } },
        }),
      ]),
      expect: {
        messageId: 'program',
        data: { pods: 'Pod policy-1', container: 'webhook', command: '/policy', why: 'permission denied' },
      },
    },
    {
      name: 'a seccomp profile that the node does not have',
      facts: only([
        waiting(
          'CreateContainerError',
          'failed to create containerd container: cannot load seccomp profile "/var/lib/kubelet/seccomp/profiles/policy.json": open /var/lib/kubelet/seccomp/profiles/policy.json: no such file or directory',
        ),
      ]),
      expect: {
        messageId: 'seccomp',
        data: { pods: 'Pod policy-1', container: 'webhook', profile: 'profiles/policy.json', node: 'n1' },
      },
    },
    {
      name: 'an image that runs as root where it must not',
      facts: only([
        waiting('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root'),
      ]),
      expect: { messageId: 'root' },
    },
    {
      name: 'a container that cannot be created',
      facts: only([waiting('CreateContainerError', 'context deadline exceeded')]),
      expect: { messageId: 'all' },
    },
    {
      name: 'a node that cannot give the Pod a network',
      facts: only(
        [waiting('ContainerCreating')],
        events(
          event('FailedCreatePodSandBox', 'Failed to create pod sandbox: plugin type="bridge" failed (add)'),
        ),
      ),
      expect: {
        messageId: 'sandbox',
        data: {
          pods: 'Pod policy-1',
          detail: 'FailedCreatePodSandBox: plugin type="bridge" failed (add)',
        },
      },
    },
    {
      name: 'a RuntimeClass whose runtime the node lacks',
      facts: only(
        [waiting('ContainerCreating')],
        events(
          event(
            'FailedCreatePodSandBox',
            'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "runsc" is configured',
          ),
        ),
      ),
      expect: { messageId: 'runtime', data: { pods: 'Pod policy-1', node: 'n1', handler: 'runsc' } },
    },
    {
      name: 'a node that fails for another reason than its network',
      facts: only(
        [waiting('ContainerCreating')],
        events(event('FailedCreatePodSandBox', 'Failed to create pod sandbox: no space left on device')),
      ),
      expect: {
        messageId: 'node',
        data: { pods: 'Pod policy-1', node: 'n1', detail: 'FailedCreatePodSandBox: no space left on device' },
      },
    },
    {
      name: 'one Pod among others that answer',
      facts: beside([bad]),
      expect: {
        messageId: 'some',
        data: {
          pods: 'Pod policy-1',
          container: 'webhook',
          detail: 'CreateContainerConfigError: secret "policy-env" not found',
        },
      },
    },
  ],
  reportsNothing: [
    ...silences(bad),
    {
      name: 'a container crashed after it had begun',
      facts: only([
        waiting('CrashLoopBackOff', 'back-off', {
          lastState: { terminated: { exitCode: 1, reason: 'Error' } },
        }),
      ]),
    },
    {
      name: 'the sandbox came at the second attempt',
      facts: only(
        [
          unready({
            status: {
              phase: 'Running',
              containerStatuses: [status({ state: { running: { startedAt: ago(5) } } })],
            },
          }),
        ],
        events(event('FailedCreatePodSandBox', 'Failed to create pod sandbox')),
      ),
    },
  ],
  isUnknown: doubts,
});
