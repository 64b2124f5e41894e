// Writes the shapes of the AWS operations that the simulated AWS Marketplace has, from the service models in botocore.
// Needs pip and unzip; run it after a new version of botocore: node scripts/write-aws-shapes.mjs 1.44.5
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

const [version] = process.argv.slice(2)
if (!version) throw new Error('Usage: node scripts/write-aws-shapes.mjs <version of botocore>')

const models = {
  'meteringmarketplace/2016-01-14': ['ResolveCustomer', 'BatchMeterUsage'],
  'marketplace-entitlement/2017-01-11': ['GetEntitlements'],
  'marketplace-agreement/2020-03-01': ['DescribeAgreement', 'GetAgreementTerms'],
}
/** What a validator needs of a shape; the documentation is most of a model. */
const facts = ['type', 'required', 'union', 'enum', 'pattern', 'min', 'max']

const directory = mkdtempSync(join(tmpdir(), 'botocore-'))
try {
  execFileSync('pip', ['download', '--quiet', '--no-deps', '--dest', directory, `botocore==${version}`])
  const wheel = join(directory, readdirSync(directory)[0])
  const read = (path) => execFileSync('unzip', ['-p', wheel, path], { maxBuffer: 2 ** 26 })
  const services = Object.entries(models).map(([path, operations]) =>
    reduce(JSON.parse(gunzipSync(read(`botocore/data/${path}/service-2.json.gz`))), operations),
  )
  const source = `botocore ${version}, https://pypi.org/project/botocore, Apache-2.0, Copyright Amazon.com, Inc. or its affiliates`
  const target = new URL('../world/src/aws-marketplace/shapes.json', import.meta.url)
  writeFileSync(target, JSON.stringify({ source, services }))
  execFileSync('biome', ['format', '--write', target.pathname], { stdio: 'inherit' })
} finally {
  rmSync(directory, { recursive: true })
}

/** Returns the operations of a model with the shapes that they reach. */
function reduce({ metadata, operations, shapes }, names) {
  const reached = {}
  const reach = (name) => {
    if (name in reached) return name
    const shape = shapes[name]
    const { members, member, key, value, error } = shape
    reached[name] = Object.fromEntries(facts.filter((fact) => fact in shape).map((fact) => [fact, shape[fact]]))
    if (members)
      reached[name].members = Object.fromEntries(
        Object.entries(members).map(([memberName, { shape: memberShape }]) => [memberName, reach(memberShape)]),
      )
    if (member) reached[name].member = reach(member.shape)
    if (key) Object.assign(reached[name], { key: reach(key.shape), value: reach(value.shape) })
    if (error) reached[name].status = error.httpStatusCode
    return name
  }
  const { targetPrefix, jsonVersion, signingName } = metadata
  return {
    targetPrefix,
    jsonVersion,
    signingName,
    operations: Object.fromEntries(
      names.map((name) => {
        const { input, output, errors } = operations[name]
        return [
          name,
          { input: reach(input.shape), output: reach(output.shape), errors: errors.map((e) => reach(e.shape)) },
        ]
      }),
    ),
    shapes: reached,
  }
}
