import { load } from 'js-yaml'
import { beforeAll, describe, expect, test } from 'vitest'
import { readGuideBlocks, readGuideText } from '../docs/test-guide.ts'
import { startTestService } from '../test-service.ts'

/** The labels of the served metrics, by their names. */
const served = new Map<string, Set<string>>()
const durationLimits = new Set<string>()

beforeAll(async () => {
  const { url, sql, jobs } = await startTestService({
    SMTP_URL: 'smtp://127.0.0.1:9',
    AWS_MARKETPLACE_REGION: 'us-east-1',
    AWS_MARKETPLACE_QUEUES: 'http://127.0.0.1:9/123456789012/events',
    MAIL_FROM: 'passport@stage.example',
  })
  await jobs.find(({ name }) => name === 'health')?.run()
  await sql`insert into recurring_jobs (name, succeeded_at) values ('sweep', now())`
  await fetch(`${url}/passport/info/version`)
  const text = await (await fetch(`${url}/metrics`)).text()
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) served.set(name, new Set())
  for (const [, limit = ''] of text.matchAll(/^http_request_duration_seconds_bucket\{le="(.*?)"/gm))
    durationLimits.add(limit)
  for (const [, name = '', labels = ''] of text.matchAll(/^(\w+)\{(.*)\} /gm)) {
    const known = served.get(name) ?? served.get(name.replace(/_(?:bucket|sum|count)$/, ''))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) known?.add(label)
  }
})

interface Rule {
  alert: string
  expr: string
  annotations: { summary: string }
}

/** The names of metrics in an expression, without the suffixes of a histogram. */
const listMetrics = (expression: string) =>
  [...expression.matchAll(/\b(?:passport|http|process|nodejs)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''))

describe('the guide about monitoring', () => {
  const readRules = () => {
    const blocks = readGuideBlocks('monitoring')
    const { groups } = load(blocks.take('yaml')) as { groups: { rules: Rule[] }[] }
    expect(blocks.listLeft()).toEqual([])
    return groups.flatMap(({ rules }) => rules)
  }

  test('lists every served metric and no other', () => {
    const text = readGuideText('monitoring')
    const table = text.slice(text.indexOf('## Metrics'), text.indexOf('## Alerts'))
    const variants: Record<string, string[]> = {
      nodejs_eventloop_lag_seconds: ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
        (part) => `nodejs_eventloop_lag_${part}_seconds`,
      ),
      nodejs_active_resources: ['nodejs_active_resources_total'],
      nodejs_active_handles: ['nodejs_active_handles_total'],
      nodejs_active_requests: ['nodejs_active_requests_total'],
    }
    const listed = [...table.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+_\w+)`/g)].flatMap(([, name = '']) => [name, ...(variants[name] ?? [])]),
    )
    const names = listed.filter((name) => !name.startsWith('_'))
    expect(names.toSorted()).toEqual([...served.keys()].toSorted())
  })

  test('has alerts on served metrics with served labels, each with a sentence', () => {
    const rules = readRules()
    expect(rules.length).toBeGreaterThan(8)
    for (const { alert, expr, annotations } of rules) {
      const metrics = listMetrics(expr)
      expect(metrics.length + (expr.startsWith('up{') ? 1 : 0), alert).toBeGreaterThan(0)
      for (const metric of metrics) expect([...served.keys()], alert).toContain(metric)
      const labels = metrics.flatMap((metric) => [...(served.get(metric) ?? [])])
      const used = [
        ...[...expr.matchAll(/(\w+)(?:=~?|!=)"/g)].map(([, label]) => label),
        ...[...expr.matchAll(/by \((\w+)\)/g)].map(([, label]) => label),
        ...[...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label]) => label),
      ].filter((label) => !expr.startsWith('up{') || label !== 'job')
      for (const label of used) expect(labels, `${alert} uses ${label}`).toContain(label)
      // A percentile is exact only at the limit of a bucket, and never above the largest.
      const [, limit] = /histogram_quantile\(.* > ([\d.]+)$/.exec(expr) ?? []
      if (limit) expect([...durationLimits], alert).toEqual(expect.arrayContaining([limit, '2.5']))
      expect(expr.split('(').length, alert).toBe(expr.split(')').length)
    }
  })
})
