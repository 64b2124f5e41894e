import { expect, test } from 'vitest'
import { createMappings, emptyEntry, findEntryErrors, isEmptyEntry } from './mappings.ts'

const groupObjectId = '1b9f3c52-7d0e-4a5b-9c8d-2e6f1a3b4c5d'
const crew = { id: 'g1', name: 'Crew', kind: 'group' as const }
const host = { id: 'Event.Host', name: 'Event.Host', kind: 'role' as const }

test('an entry gives a mapping for each picked group and role', () => {
  expect(
    createMappings({ source: 'groupObjectId', value: ` ${groupObjectId.toUpperCase()} `, targets: [crew, host] }),
  ).toEqual([
    { groupObjectId, groupId: 'g1' },
    { groupObjectId, role: 'Event.Host' },
  ])
  expect(createMappings({ source: 'appRole', value: 'Stage.Crew', targets: [host] })).toEqual([
    { appRole: 'Stage.Crew', role: 'Event.Host' },
  ])
})

test('a wrong, missing or repeated part has its own error', () => {
  const entry = { source: 'groupObjectId' as const, value: groupObjectId, targets: [crew] }
  expect(findEntryErrors(entry, [])).toEqual({ source: undefined, targets: undefined })
  expect(findEntryErrors({ ...entry, value: 'Crew' }, []).source).toContain('GUID')
  expect(findEntryErrors({ ...entry, targets: [] }, []).targets).toBe('Choose a group or a role.')
  expect(findEntryErrors(entry, [{ groupObjectId, groupId: 'g1' }]).targets).toBe('This mapping exists already.')
  for (const value of ['', 'two words', 'x'.repeat(121), 'Grüße'])
    expect(findEntryErrors({ ...entry, source: 'appRole', value }, []).source, value).toContain('without spaces')
  expect(findEntryErrors({ ...entry, source: 'appRole', value: 'x'.repeat(120) }, []).source).toBeUndefined()
})

test('an entry is empty without a value and a target, whatever its source', () => {
  expect(isEmptyEntry({ ...emptyEntry, source: 'appRole' })).toBe(true)
  expect(isEmptyEntry({ ...emptyEntry, value: 'x' })).toBe(false)
  expect(isEmptyEntry({ ...emptyEntry, targets: [crew] })).toBe(false)
})
