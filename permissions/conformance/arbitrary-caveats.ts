import fc from 'fast-check'
import type { CaveatContext } from '../src/graph/relationship.ts'

/** Caveats by name. A parameter has the same type in all of them, so that one context fits all. */
export const caveatTexts: Record<string, string> = {
  is_on: 'caveat is_on(on bool) {\n  on\n}',
  more_than: 'caveat more_than(number int, least int) {\n  number > least\n}',
  on_or_more: 'caveat on_or_more(on bool, number int) {\n  on || number >= 3\n}',
  not_both: 'caveat not_both(on bool, day string) {\n  !(on && day == "fri")\n}',
  on_day: 'caveat on_day(day string, days list<string>) {\n  day in days\n}',
  in_network: 'caveat in_network(address ipaddress, network string) {\n  address.in_cidr(network)\n}',
  before: 'caveat before(moment timestamp, limit timestamp) {\n  moment < limit\n}',
  long_enough: 'caveat long_enough(wait duration) {\n  wait > duration("1h")\n}',
  rated: 'caveat rated(rate double, votes uint) {\n  rate * 2.0 > 3.0 && votes > 1\n}',
  labelled: 'caveat labelled(labels map<string>, day string) {\n  labels["day"] == day\n}',
  starts: 'caveat starts(day string) {\n  day.startsWith("f") ? true : size(day) > 4\n}',
}
export const caveatNames = Object.keys(caveatTexts)

const validValues: Record<string, fc.Arbitrary<unknown>> = {
  on: fc.boolean(),
  number: fc.integer({ min: 0, max: 5 }),
  least: fc.integer({ min: 0, max: 5 }),
  day: fc.constantFrom('fri', 'sat', 'sunday', ''),
  days: fc.subarray(['fri', 'sat', 'sunday']),
  address: fc.constantFrom('10.0.0.1', '192.168.1.7', '::1'),
  network: fc.constantFrom('10.0.0.0/8', '192.168.1.0/24', '::/0'),
  moment: fc.constantFrom('2026-01-01T00:00:00Z', '2026-01-01T00:00:00.5+02:00'),
  limit: fc.constantFrom('2026-01-01T00:00:00Z', '2025-12-31T23:00:00Z'),
  wait: fc.constantFrom('1h30m', '59m', '3600s', '1.5h'),
  rate: fc.constantFrom(0.5, 1.5, 2, 1e3),
  votes: fc.constantFrom(0, 1, 2),
  labels: fc.constantFrom({ day: 'fri' }, { day: 'sat' }, {}),
}

const invalidValues: Record<string, fc.Arbitrary<unknown>> = {
  on: fc.constantFrom('true', 1, null),
  number: fc.constantFrom('3', 'x', 1.5, true, null, 2 ** 60),
  day: fc.constantFrom(5, false, []),
  days: fc.constantFrom('fri', [1], {}),
  address: fc.constantFrom('nowhere', 5, '300.1.1.1'),
  moment: fc.constantFrom('yesterday', 5),
  wait: fc.constantFrom('long', 5),
  rate: fc.constantFrom('1.5', 'x', false),
  votes: fc.constantFrom(-1, 1.5, '2'),
  labels: fc.constantFrom([], 'fri', { day: 5 }),
  stranger: fc.constantFrom(1, 'one', null),
}

/**
 * Contexts with some of the parameters. With `hasErrors`, some have a value of a wrong type or an undeclared parameter.
 */
export function contextArbitrary({ hasErrors }: { hasErrors: boolean }): fc.Arbitrary<CaveatContext> {
  const some = fc.record(validValues, { requiredKeys: [] })
  if (!hasErrors) return some as fc.Arbitrary<CaveatContext>
  const invalidValue = fc.oneof(
    ...Object.entries(invalidValues).map(([name, value]) => value.map((item) => ({ [name]: item }))),
  )
  return fc.oneof(
    { weight: 2, arbitrary: fc.constant({}) },
    { weight: 6, arbitrary: some },
    { weight: 1, arbitrary: fc.tuple(some, invalidValue).map(([context, odd]) => ({ ...context, ...odd })) },
  ) as fc.Arbitrary<CaveatContext>
}
