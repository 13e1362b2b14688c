import { expect } from 'chai';
import {
  adviceParts,
  adviceText,
  applicableAdvice,
  commandOf,
  commandsOf,
  sharedAdvice,
} from '../../src/phrases/advice.ts';
import { advising } from '../support/report.ts';

const commands = (text: string, flags = ' --context prod --as admin'): readonly string[] =>
  commandsOf({ ...advising(text, { namespace: 'shop', workload: 'deployment/web' }), flags }).map(
    (one) => one.text,
  );

describe('commands of an advice, for the cluster of the flags', () => {
  for (const [what, template, expected] of [
    [
      'each kubectl of a pipe',
      'kubectl -n {namespace} get pods -o json | kubectl replace -f -',
      'kubectl --context prod --as admin -n shop get pods -o json | kubectl --context prod --as admin replace -f -',
    ],
    [
      'before the arguments of exec',
      'kubectl -n {namespace} exec {workload} -- kubectl-version',
      'kubectl --context prod --as admin -n shop exec deployment/web -- kubectl-version',
    ],
    [
      'at the end',
      "kubectl -n {namespace} get {workload} -o jsonpath='{.spec}'",
      "kubectl -n shop get deployment/web -o jsonpath='{.spec}' --context prod --as admin",
    ],
    [
      'behind the command of the plugin',
      'kubectl webhook cert-check {workload}',
      'kubectl webhook cert-check deployment/web --context prod --as admin',
    ],
    ['none for a command without a cluster', 'kubectl webhook checks x', 'kubectl webhook checks x'],
    ['the flags of helm', 'helm list -A', 'helm --kube-context prod --kube-as-user admin list -A'],
  ] as const)
    it(what, () => {
      expect(commands(`Run \`${template}\`.`)).to.deep.equal([expected]);
    });
  it('edits the object that declares the workload, and restarts the workload itself', () => {
    const names = {
      namespace: 'shop',
      workload: 'deployment/policy',
      edited: 'clusterserviceversion/policy.v1',
    };
    expect(commandOf('kubectl -n {namespace} edit {workload}', names).text).to.equal(
      'kubectl -n shop edit clusterserviceversion/policy.v1',
    );
    expect(commandOf('kubectl -n shop edit {probed}', { ...names, probed: names.workload }).text).to.equal(
      'kubectl -n shop edit clusterserviceversion/policy.v1',
    );
    expect(
      commandOf('kubectl -n shop edit {affected}', { ...names, affected: 'deployment/b' }).text,
    ).to.equal('kubectl -n shop edit deployment/b');
    expect(commandOf('kubectl -n {namespace} rollout restart {workload}', names).text).to.equal(
      'kubectl -n shop rollout restart deployment/policy',
    );
  });

  it('keeps the command of a finding if the first one has no workload', () => {
    const text = 'Restart it: `kubectl -n shop rollout restart {affected}`. [look] Read its log.';
    const of = (affected?: string) => applicableAdvice(advising(text, { affected }));
    expect(adviceText(sharedAdvice([of(), of('deployment/b')]))).to.equal(
      'Restart it: `kubectl -n shop rollout restart deployment/b`. Read its log.',
    );
    expect(adviceText(sharedAdvice([of(), of()]))).to.equal('Restart it. Read its log.');
  });

  it('keeps prose and other code', () => {
    const text = 'Set `kubectl.kubernetes.io/restartedAt`, then run `openssl x509`.';
    expect(adviceParts({ ...advising(text), flags: ' --context prod' })).to.deep.equal(
      adviceParts(advising(text)),
    );
  });
});
