import { endpoints } from '@passport/contract/api'
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
  expect(bucketsOf('/a')).toEqual(['0.01: 2', '0.05: 2', '0.25: 2', '1: 2', '2.5: 2', '+Inf: 3'])
  expect(bucketsOf('/b')).toEqual(['0.01: 0', '0.05: 0', '0.25: 0', '1: 1', '2.5: 1', '+Inf: 1'])
  expect(text).toContain('http_request_duration_seconds_count{method="GET",route="/a"} 3')
  expect(text).toMatch(/http_request_duration_seconds_sum\{method="GET",route="\/a"\} 3\.002/)
})

test('the requests of every endpoint take less than 400 kB', async () => {
  const registry = new Registry()
  const { count } = createRequestTally(registry)
  for (const { method, path } of endpoints.values())
    for (const status of [200, 401])
      count({ method: method.toUpperCase(), route: path, status, seconds: 0.01, code: undefined, isStream: false })
  expect((await registry.metrics()).length).toBeLessThan(400_000)
})
