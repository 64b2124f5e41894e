import { describe, expect, test } from 'vitest'
import { startCallCounter } from '../test-call-counts.ts'
import { type AnonymousRequest, listAnonymousRequests, startPublicService } from './test-anonymous-requests.ts'

/** The calls of functions for a request without a session. One takes at most 2,500, and 10,000 take 1 to 2 ms. */
const maxCalls = 4_000
const maxStatements = 5

const { service, send } = await startPublicService()
const countCalls = await startCallCounter()

/** Sends a request and returns the number of statements that it executes. */
async function countStatements(each: AnonymousRequest): Promise<number> {
  const { options } = service.sql
  const { debug } = options
  let count = 0
  options.debug = () => {
    count++
  }
  expect(await send(each), each.path).not.toBe(500)
  options.debug = debug
  return count
}

/** The queries with which a page does most, which every path gets. */
const searches = ['different letters', 'frequent words', 'long known parameters']
/** The number of other requests to a path, in turn; `npm run faults` sends all of them to each. */
const othersPerPath = 8

function selectRequests(requests: AnonymousRequest[], turn: number): AnonymousRequest[] {
  const others = requests.filter(({ name }) => !searches.includes(name))
  const start = (turn * othersPerPath) % others.length
  return [
    ...requests.filter(({ name }) => searches.includes(name)),
    ...[...others, ...others].slice(start, start + Math.min(othersPerPath, others.length)),
  ]
}

test('no GET without a session takes more work than a usual page, whatever it sends', async () => {
  const byPath = Map.groupBy(listAnonymousRequests(service), ({ isPublic, pattern }) => (isPublic ? pattern : 'others'))
  const violations: string[] = []
  for (const [index, [pattern, requests]] of [...byPath].entries()) {
    const selected = pattern === 'others' ? requests : selectRequests(requests, index)
    // The first one also renders what is kept.
    if (selected[0]) await send(selected[0])
    const { total } = await countCalls(async () => {
      for (const each of selected) {
        const statements = await countStatements(each)
        if (statements > maxStatements) violations.push(`${pattern} with ${each.name}: ${statements} statements`)
      }
    })
    const calls = Math.round(total / selected.length)
    if (calls > maxCalls) violations.push(`${pattern}: ${calls} calls for each request`)
  }
  expect(violations).toEqual([])
})

describe('what anyone may read is prepared once', () => {
  const fetchTwice = async (path: string) => {
    const request = { path, headers: { accept: 'text/html' } }
    await send(request)
    return countCalls(() => send(request))
  }

  test.for([
    '/docs',
    '/docs/configuration',
    '/docs/api',
    '/terms',
    '/passport/content/terms',
    '/passport/openapi.json',
  ])('%s', async (path) => {
    const { of } = await fetchTwice(path)
    for (const name of ['renderMarkdown', 'renderReference', 'renderContent', 'renderLayout', 'renderFragment'])
      expect(of(name), name).toBe(0)
    for (const name of ['createOpenApiDocument', 'etagOf']) expect(of(name), name).toBe(0)
  })

  test('a text, which is read again each minute', async () => {
    const request = { path: '/terms', headers: {} }
    await send(request)
    await service.services.contents.refresh()
    expect((await countCalls(() => send(request))).of('renderContent')).toBe(0)
  })

  test('the lines of the guides, of which a search folds none', async () => {
    const { of } = await fetchTwice('/docs?q=password+th+in+er')
    expect([of('createGuideSearch'), of('toLines'), of('fold'), of('findExcerpt') > 0]).toEqual([0, 0, 1, true])
  })
})
