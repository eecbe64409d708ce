// SPDX-License-Identifier: Apache-2.0
//
// run.mjs HOST:PORT [ID ...]: runs the tests of http-cache-tests against the cache there, all or those named, and prints a
// line for each: pass or fail, kind, id, and why it fails.

import fetch from 'node-fetch'
import { getResults, runTests } from 'http-cache-tests/client/runner.mjs'
import suites from 'http-cache-tests/tests/index.mjs'
import surrogate from 'http-cache-tests/tests/surrogate-control.mjs'

const [cache, ...ids] = process.argv.slice(2)
const all = [...suites, surrogate]
const chosen = all.map(suite => ({
  ...suite,
  tests: suite.tests.filter(test => ids.length === 0 || ids.includes(test.id))
}))
await runTests(chosen, fetch, false, `http://${cache}`)
const results = getResults()
const tests = new Map(all.flatMap(suite => suite.tests).map(test => [test.id, test]))

const passes = id => results[id] === true
const applies = test => (test.depends_on ?? []).every(id => ids.length > 0 || passes(id) && applies(tests.get(id)))

for (const [id, test] of tests) {
  if (id in results) {
    const kind = test.kind ?? 'required'
    if (passes(id)) {
      console.log(`pass\t${kind}\t${id}`)
    } else if (applies(test)) {
      console.log(`fail\t${kind}\t${id}\t${results[id][1]}`)
    } else {
      console.log(`depends\t${kind}\t${id}`)
    }
  }
}
