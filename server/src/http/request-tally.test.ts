import { Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { createRequestTally } from './request-tally.ts'

test('requests are exported as a counter and a histogram', async () => {
  const registry = new Registry()
  const { count } = createRequestTally(registry)
  const request = { method: 'GET', route: '/a', code: undefined, isStream: false }
  for (const [status, seconds] of [
    [200, 0.001],
    [200, 0.0011],
    [404, 3],
  ] as const)
    count({ ...request, status, seconds })
  count({ ...request, route: '/b', status: 200, seconds: 0.3 })
  const text = await registry.metrics()
  expect(text).toContain('# TYPE http_requests_total counter')
  expect(text).toContain('http_requests_total{method="GET",route="/a",status="200"} 2')
  expect(text).toContain('http_requests_total{method="GET",route="/a",status="404"} 1')
  expect(text).toContain('# TYPE http_request_duration_seconds histogram')
  const bucketsOf = (route: string) =>
    [...text.matchAll(new RegExp(`_bucket\\{le="(.*?)",method="GET",route="${route}"\\} (\\d+)`, 'g'))].map(
      ([, limit, total]) => `${limit}: ${total}`,
    )
  expect(bucketsOf('/a').filter((line) => /^(0.001|0.0025|2.5|\+Inf):/.test(line))).toEqual([
    '0.001: 1',
    '0.0025: 2',
    '2.5: 2',
    '+Inf: 3',
  ])
  expect(bucketsOf('/b').slice(7, 9)).toEqual(['0.25: 0', '0.5: 1'])
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/a"} 3')
  expect(text).toMatch(/http_request_duration_seconds_sum\{method="GET",route="\/a"\} 3\.002/)
})
