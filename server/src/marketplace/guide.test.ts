import { readFileSync } from 'node:fs'
import { startAwsMarketplace } from '@passport/world/aws-marketplace/aws-marketplace'
import { stageProducts } from '@passport/world/aws-marketplace/stage-products'
import { expect, test } from 'vitest'
import { onFileEnd } from '../test-cleanups.ts'

const guide = readFileSync(new URL('../../../docs/guide/aws-marketplace.md', import.meta.url), 'utf8')
const [policy, pattern] = [...guide.matchAll(/```json\n(.*?)```/gs)].map(([, json = '']) => JSON.parse(json))

test('the policy of the guide allows exactly the calls of the server', () => {
  const calls = readFileSync(new URL('./aws.ts', import.meta.url), 'utf8').matchAll(/new sdk\.(\w+)Command\(/g)
  const actions = [...calls].map(([, operation]) => `aws-marketplace:${operation}`)
  expect(actions.length).toBeGreaterThan(3)
  expect([...policy.Statement[0].Action].sort()).toEqual([...new Set(actions)].sort())
})

test('the pattern of the guide matches every event of a subscription', async () => {
  const address = 'http://127.0.0.1:9'
  const marketplace = await startAwsMarketplace({ fulfilmentUrl: address, eventsUrl: address, eventKey: 'unused' })
  onFileEnd(marketplace.stop)
  marketplace.setDelivery('held')
  const { agreementId } = await marketplace.buy({ product: stageProducts[0]?.code ?? '' })
  await marketplace.amend(agreementId, { seats: 2 })
  await marketplace.cancel(agreementId)
  await marketplace.deprovision(agreementId)
  const bodies = marketplace.events().map(({ body }) => body as { source: string; 'detail-type': string })
  expect(bodies.length).toBeGreaterThan(5)
  const isMatched = (body: (typeof bodies)[number]) =>
    pattern.source.includes(body.source) &&
    pattern['detail-type'].some(({ prefix }: { prefix: string }) => body['detail-type'].startsWith(prefix))
  expect(bodies.filter((body) => !isMatched(body))).toEqual([])
})

test('the products and the quantities of the guide are those of the demo world', () => {
  for (const { name } of stageProducts) expect(guide).toContain(name)
  const named = [...guide.matchAll(/Stage [A-Z]\w+/g)].map(([name]) => name)
  expect(new Set(named)).toEqual(new Set(stageProducts.map(({ name }) => name)))
})

test('the guide and the console explain the same refusals of usage', () => {
  const table = guide.slice(guide.indexOf('| refused with'))
  const listed = [...table.slice(0, table.indexOf('\n\n')).matchAll(/^\| `(\w+)`/gm)].map(([, error]) => error)
  const words = readFileSync(new URL('../../../web/src/marketplace/usage-words.ts', import.meta.url), 'utf8')
  const explained = [...words.matchAll(/^ {2}([A-Z]\w+): \{$/gm)].map(([, error]) => error)
  expect(listed.length).toBeGreaterThan(5)
  expect(listed.toSorted()).toEqual(explained.toSorted())
})
