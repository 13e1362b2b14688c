/** Who may import what (docs/architecture.md). Each comment says where the code belongs instead. */

/** A layer imports basics/ and what is listed; everything else of ours is an error. */
function layer(name, mayImport, comment) {
  return {
    name: `${name}-imports`,
    severity: 'error',
    comment,
    from: { path: `^src/${name}/` },
    to: { path: '^src/', pathNot: [`^src/${name}/`, '^src/basics/', ...mayImport] },
  };
}

const sockets = '^(node:)?(net|tls|http|https|http2|dgram|dns)(/|$)';
const outsideWorld = '^(node:)?(fs|child_process|os|process|worker_threads|cluster|readline|timers)(/|$)';
const pureLayers = [
  '^src/basics/',
  '^src/facts/',
  '^src/phrases/',
  '^src/apiserver/',
  '^src/products/',
  '^src/pods/',
  '^src/serving-certificates/',
  '^src/checks/',
  '^src/diagnose/',
  '^src/remedies/',
  '^src/what-if/',
  '^src/lint/',
];

module.exports = {
  forbidden: [
    layer(
      'basics',
      [],
      'Basics are functions of plain values, which know nothing of Kubernetes. What is about its objects belongs in facts/.',
    ),
    layer(
      'facts',
      ['^src/phrases/'],
      'Facts are what was observed, nothing else. A conclusion belongs in apiserver/ or checks/.',
    ),
    layer(
      'phrases',
      [],
      'Phrases are English, whatever they are about. Words for one subject stand beside it.',
    ),
    layer(
      'apiserver',
      ['^src/facts/', '^src/phrases/'],
      'The model of the API server sees facts only. What a finding says belongs in checks/.',
    ),
    layer(
      'products',
      ['^src/facts/'],
      'Products are data. What follows from them belongs in checks/ or remedies/.',
    ),
    layer(
      'pods',
      ['^src/facts/', '^src/phrases/', '^src/apiserver/', '^src/products/'],
      'What keeps the Pods of a backend from serving, as their controllers, nodes and kubelets have it. What is said of it belongs in checks/.',
    ),
    layer(
      'serving-certificates',
      ['^src/facts/', '^src/phrases/', '^src/apiserver/', '^src/products/'],
      'Where the certificates of a backend are kept, and who renews them. What is said of it belongs in checks/.',
    ),
    layer(
      'checks',
      [
        '^src/facts/',
        '^src/phrases/',
        '^src/apiserver/',
        '^src/products/',
        '^src/pods/',
        '^src/serving-certificates/',
      ],
      'A check evaluates facts. What it needs to know is read in collect/ and lands in facts/; text goes out in render/.',
    ),
    layer(
      'diagnose',
      [
        '^src/checks/',
        '^src/serving-certificates/',
        '^src/pods/',
        '^src/apiserver/',
        '^src/phrases/',
        '^src/facts/',
      ],
      'diagnose/ joins findings into verdicts. Reading belongs in collect/, looks in render/, cures in remedies/.',
    ),
    layer(
      'what-if',
      pureLayers.filter((path) => path !== '^src/remedies/' && path !== '^src/lint/'),
      'what-if/ changes facts and has them evaluated again. What is read for it belongs in collect/, looks in render/.',
    ),
    layer(
      'lint',
      pureLayers.filter((path) => path !== '^src/remedies/' && path !== '^src/what-if/'),
      'lint/ evaluates manifests. Opening files belongs in workflows/, looks in render/.',
    ),
    layer(
      'library',
      ['^src/facts/', '^src/apiserver/'],
      'library/ exports the model to other programs. A rule belongs in apiserver/.',
    ),
    layer(
      'remedies',
      [
        '^src/facts/',
        '^src/phrases/',
        '^src/apiserver/',
        '^src/products/',
        '^src/pods/',
        '^src/change/plan\\.ts$',
        '^src/change/document-value\\.ts$',
      ],
      'A remedy plans. Writing to a cluster belongs in change/.',
    ),
    layer(
      'render',
      [
        '^src/facts/',
        '^src/phrases/',
        '^src/apiserver/server-version\\.ts$',
        '^src/scan/scan-report\\.ts$',
        '^src/explain/explanation\\.ts$',
        '^src/soak/soak-report\\.ts$',
        '^src/checks/chain\\.ts$',
        '^src/diagnose/report\\.ts$',
        '^src/what-if/what-if-report\\.ts$',
        '^src/lint/lint-report\\.ts$',
        '^src/diagnose/certificates/certificate-report\\.ts$',
        '^src/change/change-report\\.ts$',
      ],
      'render/ is a function of the report. What it would like to know belongs in diagnose/report.ts or change/change-report.ts.',
    ),
    layer(
      'collect',
      ['^src/facts/', '^src/phrases/', '^src/apiserver/', '^src/products/'],
      'collect/ reads. A judgement about what was read belongs in checks/; what to do about it in workflows/.',
    ),
    layer(
      'scan',
      ['^src/facts/', '^src/apiserver/', '^src/explain/'],
      'scan/ makes counts of lines. Opening files and asking a cluster belong in workflows/.',
    ),
    layer(
      'explain',
      ['^src/facts/', '^src/phrases/', '^src/apiserver/', '^src/products/', '^src/diagnose/report\\.ts$'],
      'explain/ says what texts mean. Opening files and looking at a cluster belong in workflows/.',
    ),
    layer(
      'snapshot',
      ['^src/facts/', '^src/products/'],
      'snapshot/ makes text of facts and facts of text. Files belong in workflows/.',
    ),
    layer(
      'alerts',
      ['^src/facts/'],
      'alerts/ makes rules of callouts. Reading them belongs in collect/, printing in render/.',
    ),
    layer(
      'soak',
      ['^src/facts/', '^src/apiserver/'],
      'soak/ counts answers. Sending requests belongs in collect/, running a command in cli/.',
    ),
    layer(
      'change',
      ['^src/facts/', '^src/apiserver/', '^src/products/', '^src/collect/'],
      'change/ carries out plans. Which plan belongs in remedies/, asking people in commands/ and cli/.',
    ),
    layer(
      'serve',
      ['^src/facts/', '^src/diagnose/report\\.ts$', '^src/diagnose/certificates/certificate-report\\.ts$'],
      'serve/ lets what was evaluated be read. Evaluating and reading the cluster belong in workflows/, looks in render/.',
    ),
    layer(
      'demo',
      ['^src/facts/', '^src/apiserver/'],
      'The demo cluster knows nothing of how it is examined, but behaves as API servers do; workflows/ joins the two.',
    ),
    {
      name: 'only-change-writes',
      severity: 'error',
      comment: 'Only change/ sends a cluster what it stores: plan a change and let it be carried out there.',
      from: { path: '^src/', pathNot: '^src/change/' },
      to: { path: '^src/change/kube-writer\\.ts$' },
    },
    {
      name: 'one-way-to-change-tools',
      severity: 'error',
      comment: 'What can write is opened in one place: workflows/change/with-change-tools.ts.',
      from: { path: '^src/', pathNot: ['^src/change/', '^src/workflows/change/with-change-tools\\.ts$'] },
      to: { path: '^src/change/change-tools\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'transport',
      severity: 'error',
      comment:
        'Requests are made by the adapters of collect/ and change/; others get a reader, or a workflow.',
      from: { path: '^src/', pathNot: ['^src/collect/', '^src/change/'] },
      to: { path: ['^src/collect/kube/http/transport\\.ts$', '^src/collect/kube/http/exchange\\.ts$'] },
    },
    {
      name: 'workflows-imports',
      severity: 'error',
      comment: 'A workflow wires stages. Flags, prompts and exit codes belong in commands/ and cli/.',
      from: { path: '^src/workflows/' },
      to: { path: ['^src/commands/', '^src/cli/'] },
    },
    {
      name: 'commands-imports',
      severity: 'error',
      comment: 'A command is flags in, one workflow, report out. Wiring of stages belongs in workflows/.',
      from: { path: '^src/commands/' },
      to: {
        path: '^src/',
        pathNot: ['^src/commands/', '^src/cli/', '^src/workflows/', '^src/render/'],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'cli-imports',
      severity: 'error',
      comment:
        'cli/ is what commands share. Work on a cluster or a report belongs in workflows/; only the table knows commands.',
      from: { path: '^src/cli/', pathNot: '^src/cli/command-table\\.ts$' },
      to: {
        path: '^src/',
        pathNot: [
          '^src/cli/',
          '^src/basics/',
          '^src/facts/',
          '^src/phrases/',
          '^src/render/',
          '^src/checks/chain\\.ts$',
        ],
        dependencyTypesNot: ['type-only'],
      },
    },
    {
      name: 'sockets',
      severity: 'error',
      comment:
        'Connections are opened in collect/, change/ and demo/, and accepted in serve/; others get a reader, or a workflow.',
      from: { path: '^src/', pathNot: ['^src/collect/', '^src/change/', '^src/demo/', '^src/serve/'] },
      to: { path: sockets },
    },
    {
      name: 'pure-layers',
      severity: 'error',
      comment:
        'These layers are functions of a snapshot: no file, process or clock. What they need to know is collected.',
      from: { path: [...pureLayers, '^src/library/'] },
      to: { path: outsideWorld },
    },
    {
      name: 'pure-layers-libraries',
      severity: 'error',
      comment: 'Terminal and command-line libraries belong in render/, cli/ and commands/.',
      from: { path: [...pureLayers, '^src/library/'] },
      to: { path: 'node_modules/(@oclif/core|ora|ansis|wrap-ansi|string-width)/' },
    },
    {
      name: 'no-cycles',
      severity: 'error',
      comment: 'Two files that need each other are one idea, or hide a third: give it a file of its own.',
      from: { path: '^src/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'not-from-tests',
      severity: 'error',
      comment: 'What ships does not import tests or scripts: move the shared part into src/.',
      from: { path: '^src/' },
      to: { path: ['^test/', '^scripts/'] },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      comment: 'What ships imports packages from "dependencies" only.',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'The import leads nowhere.',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.json'],
    },
    reporterOptions: { text: { highlightFocused: false } },
  },
};
