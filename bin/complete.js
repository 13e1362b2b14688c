#!/usr/bin/env node
// kubectl runs this as kubectl_complete-webhook to complete the arguments of "kubectl webhook".
process.argv.splice(2, 0, '__complete', '--');
require('./start.js');
