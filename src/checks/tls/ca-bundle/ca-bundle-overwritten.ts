import { certificateWriterCheck } from '../writer/certificate-writer-check.ts';

const writeAgain =
  '[with] Then let the injector, operator or Job write the CA again; the configuration shows the managers: `kubectl get {kind} {configuration} -o yaml --show-managed-fields`.';

export const caBundleOverwritten = certificateWriterCheck({
  id: 'ca-bundle-overwritten',
  title: 'An applied manifest overwrites the caBundle',
  why: 'Argo CD, Flux, Helm or a script applies a manifest that does not contain the CA. An empty `caBundle` in it, or a replacement of the whole object, removes the CA of an injector, an operator or a Job.',
  advice: `[end] Let the tool that applies the manifest ignore the field (Argo CD: \`ignoreDifferences\` with \`RespectIgnoreDifferences=true\`). ${writeAgain}`,
  noRemedy: {
    because: 'the next sync would remove the caBundle again: the manifest must change',
  },
  messages: {
    declaredEmpty: {
      text: '{writer} applies a manifest with an empty caBundle, which removes the injected one ({detail})',
      advice: `[end] Remove \`caBundle\` from the manifest or chart value. ${writeAgain}`,
    },
    declaredOther: {
      text: '{writer} applies a manifest with the caBundle of another CA than that of the serving certificate ({detail})',
      advice: `[end] Remove \`caBundle\` from the manifest, or let the tool ignore the field (Argo CD: \`ignoreDifferences\` with \`RespectIgnoreDifferences=true\`). ${writeAgain}`,
    },
    replaced: {
      text: '{writer} replaces the whole configuration at each sync, which removes the caBundle ({detail})',
      advice: `[end] Remove \`Replace=true\` from the sync options in the manifest. ${writeAgain}`,
    },
    overwritten: '{writer} wrote the configuration last, at {detail}, and left it without a caBundle',
  },
  references: ['https://argo-cd.readthedocs.io/en/stable/user-guide/sync-options/'],
});
