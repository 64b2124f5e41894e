import { listSessions } from '@passport/contract/accounts'
import { createTestBrowser } from '@passport/world/browser'
import { expect, onTestFinished, test } from 'vitest'
import { readGuideBlocks } from '../docs/test-guide.ts'
import { createBrowserCall } from '../test-browser-call.ts'
import { demoPassword, startTestService } from '../test-service.ts'
import { isProxyInstalled, type ProxyName, proxyNames, proxySettings, startProxy } from './test-proxies.ts'

const service = await startTestService(proxySettings)
const clientAddress = '127.0.0.2'
const origin = proxySettings.PUBLIC_URL
/** Those that check the health of a server by themselves. */
const checksHealth: Record<ProxyName, boolean> = { HAProxy: true, nginx: false, Caddy: true }
/** The blocks that are no configuration of a proxy: settings of Passport, a check by hand, and AWS. */
const otherBlocks = ['PUBLIC_URL=', 'curl -H', 'ALLOWED_HOSTS=', 'aws elbv2']
/** Headers by which a client might choose its address and the host. */
const forged = {
  'x-forwarded-for': '192.0.2.1',
  forwarded: 'for=192.0.2.1;host=evil.example',
  'x-forwarded-host': 'evil.example',
}

const countChecks = async () => {
  const { text } = await service.services.metrics.read()
  return Number(/^http_requests_total\{method="GET",route="\/readyz",status="200"\} (\d+)$/m.exec(text)?.[1] ?? 0)
}

test.for(proxyNames)('users sign in through %s with the lines of the guide', async (name, { skip }) => {
  if (!isProxyInstalled(name)) skip(`${name} is not installed`)
  const checksBefore = await countChecks()
  const proxy = await startProxy(name, [`127.0.0.1:${Number(new URL(service.url).port)}`])
  onTestFinished(proxy.stop)
  const { send, close } = proxy.connect(clientAddress)
  onTestFinished(close)
  const browser = createTestBrowser(origin, forged, send)
  const page = await browser.submit(await browser.open('/login'), { name: 'ada', password: demoPassword })
  expect([page.status, page.url]).toEqual([200, `${origin}/app/login?returnUrl=%2Fapp%2F`])
  const sessions = await createBrowserCall(origin, browser)(listSessions, {})
  expect(sessions.find(({ current }) => current)).toMatchObject({ ip: clientAddress })

  const get = (path: string, headers = {}) => send(new URL(path, origin), { headers })
  expect(await (await get('/connect/jwks')).json()).toHaveProperty('keys')
  expect((await get('/readyz')).status).toBe(200)
  // The cookies of other applications under the same domain.
  expect((await get('/passport/discovery', { cookie: `other=${'x'.repeat(24_000)}` })).status).toBe(200)
  const elsewhere = await get('/.well-known/openid-configuration', { host: 'evil.example' })
  expect(await elsewhere.text()).not.toContain('authorization_endpoint')
  // Besides the one above.
  if (checksHealth[name]) await expect.poll(countChecks).toBeGreaterThan(checksBefore + 1)
})

test('the guide has no other block of a proxy', () => {
  const blocks = readGuideBlocks('behind-a-proxy').listLeft()
  expect(blocks).toHaveLength(proxyNames.length + otherBlocks.length)
  expect(blocks).toEqual(expect.arrayContaining(otherBlocks.map((line) => expect.stringContaining(line))))
})
