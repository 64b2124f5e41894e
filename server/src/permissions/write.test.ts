import { parseRelationship } from '@passport/permissions'
import { describe, expect, test } from 'vitest'
import { type Sql, transaction } from '../database/sql.ts'
import { createSchemaCache } from './directory-schema.ts'
import { documents, formatRelationships, parseCheck, parseUpdates, startEngine } from './test-engines.ts'
import { writeInTransaction } from './write.ts'

const has = { permissionship: 'hasPermission' }
const lacks = { permissionship: 'noPermission' }

describe('writes', async () => {
  const { engine, sql } = await startEngine(documents)
  const write = (...texts: string[]) => engine.writeRelationships(parseUpdates(...texts))
  const read = async (resourceId: string) =>
    formatRelationships(
      (await engine.readRelationships({ resourceType: 'document', resourceId }, { limit: 100 })).items,
    )

  test('are visible at once to the writer', async () => {
    for (let i = 0; i < 20; i++) {
      await write(`+document:own${i}#viewer@user:ada`)
      expect(await engine.check(parseCheck(`document:own${i}#view@user:ada`))).toMatchObject(has)
    }
  })

  test('create, touch, and delete, ignoring missing relationships', async () => {
    await write('+document:three#viewer@user:ada', '~document:three#viewer@user:bob', '-document:three#viewer@user:eve')
    expect(await read('three')).toEqual(['document:three#viewer@user:ada', 'document:three#viewer@user:bob'])
    await write('-document:three#viewer@user:ada', '~document:three#viewer@user:bob')
    expect(await read('three')).toEqual(['document:three#viewer@user:bob'])
  })

  test('are atomic', async () => {
    await write('+document:all#viewer@user:ada')
    await expect(write('+document:all#viewer@user:bob', '+document:all#viewer@user:ada')).rejects.toMatchObject({
      code: 'already-exists',
      field: 'updates.1.relationship',
    })
    expect(await read('all')).toEqual(['document:all#viewer@user:ada'])
  })

  test.each([
    ['duplicate-update', 'updates.1.relationship', ['~document:f#viewer@user:ada', '-document:f#viewer@user:ada']],
    ['write-to-permission', 'updates.0.relationship.relation', ['~document:f#view@user:ada']],
    ['unknown-type', 'updates.0.relationship.resource.type', ['~thing:f#viewer@user:ada']],
    ['unknown-relation', 'updates.0.relationship.relation', ['~document:f#reader@user:ada']],
    ['subject-not-allowed', 'updates.0.relationship.subject', ['~document:f#parent@user:ada']],
    ['directory-owned', 'updates.0.relationship.resource.type', ['~passport/group:f#member@passport/user:ada']],
  ])('are rejected with %s at %s', async (code, field, texts) => {
    const before = await engine.status()
    await expect(write(...texts)).rejects.toMatchObject({ code, field })
    expect((await engine.status()).revision).toBe(before.revision)
  })

  test('are limited to a thousand updates', async () => {
    const many = Array.from({ length: 1001 }, (_, index) => `~document:many${index}#viewer@user:ada`)
    await expect(write(...many)).rejects.toMatchObject({ code: 'too-many', field: 'updates' })
    await write(...many.slice(1))
  })

  test('check preconditions, and report the first that fails', async () => {
    await write('+document:pre#viewer@user:ada')
    const existing = { resourceType: 'document', resourceId: 'pre', relation: 'viewer' }
    const writeIf = (operation: 'mustMatch' | 'mustNotMatch', subjectId: string) =>
      engine.writeRelationships(parseUpdates('~document:pre#viewer@user:bob'), [
        { operation: 'mustMatch', filter: existing },
        { operation, filter: { ...existing, subjectId } },
      ])
    await expect(writeIf('mustMatch', 'eve')).rejects.toMatchObject({
      code: 'precondition-failed',
      field: 'preconditions.1',
    })
    await expect(writeIf('mustNotMatch', 'ada')).rejects.toMatchObject({ code: 'precondition-failed' })
    expect(await read('pre')).toHaveLength(1)
    await writeIf('mustMatch', 'ada')
    expect(await read('pre')).toHaveLength(2)
  })

  test('let only one of several writers claim an empty resource', async () => {
    const filter = { resourceType: 'document', resourceId: 'seat' }
    const takeSeat = (subjectId: string) =>
      engine.writeRelationships(parseUpdates(`+document:seat#viewer@user:${subjectId}`), [
        { operation: 'mustNotMatch', filter },
      ])
    const results = await Promise.allSettled(['ada', 'bob', 'eve', 'max'].map(takeSeat))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await read('seat')).toHaveLength(1)
  })

  test('join a transaction of another feature, and are rolled back with it', async () => {
    const updates = parseUpdates('+document:joint#viewer@user:ada')
    const writeJoint = (sql: Sql) => writeInTransaction(sql, createSchemaCache(), { updates, preconditions: [] })
    const rolledBack = transaction(sql, async (sql) => {
      await writeJoint(sql)
      throw new Error('rolled back on purpose')
    })
    await expect(rolledBack).rejects.toThrow('rolled back on purpose')
    expect(await engine.check(parseCheck('document:joint#view@user:ada'), fully)).toMatchObject(lacks)
    await transaction(sql, writeJoint)
    expect(await engine.check(parseCheck('document:joint#view@user:ada'), fully)).toMatchObject(has)
  })

  test('delete by a filter up to a limit, and report whether that was all', async () => {
    await write(
      ...Array.from({ length: 5 }, (_, index) => `+document:del${index}#viewer@user:ada`),
      '+document:del0#viewer@user:bob',
    )
    const filter = { resourceType: 'document', resourceIdPrefix: 'del', subjectId: 'ada' }
    expect(await engine.deleteRelationships(filter, { limit: 3 })).toMatchObject({ deleted: 3, isComplete: false })
    expect(await engine.deleteRelationships(filter, { limit: 2 })).toMatchObject({ deleted: 2, isComplete: true })
    expect(await engine.deleteRelationships(filter)).toMatchObject({ deleted: 0, isComplete: true })
    expect(await read('del0')).toEqual(['document:del0#viewer@user:bob'])
    await expect(engine.deleteRelationships({ resourceType: 'passport/role' })).rejects.toMatchObject({
      code: 'directory-owned',
      field: 'filter.resourceType',
    })
  })

  test('replace expired relationships', async () => {
    const past = '[expiration:2020-01-01T00:00:00Z]'
    await write(`+document:old#viewer@user:ada${past}`)
    expect(await read('old')).toEqual([])
    expect(await engine.check(parseCheck('document:old#view@user:ada'))).toMatchObject(lacks)
    await write('+document:old#viewer@user:ada[expiration:2999-01-01T00:00:00Z]')
    expect(await engine.check(parseCheck('document:old#view@user:ada'))).toMatchObject(has)
  })

  test('pass their changes to the recorder, within their transaction', async () => {
    await write('+document:rec#viewer@user:ada')
    const recorded: unknown[] = []
    await engine.writeRelationships(
      parseUpdates('-document:rec#viewer@user:ada', '~document:rec#viewer@user:bob', '-document:rec#viewer@user:eve'),
      [],
      { by: { kind: 'client', id: 'app' }, record: async (change) => void recorded.push(change) },
    )
    expect(recorded).toEqual([
      {
        before: [parseRelationship('document:rec#viewer@user:ada')],
        after: [parseRelationship('document:rec#viewer@user:bob')],
        removed: 1,
        written: 1,
      },
    ])
    const rejected = engine.writeRelationships(parseUpdates('-document:rec#viewer@user:bob'), [], {
      record: () => Promise.reject(new Error('no audit')),
    })
    await expect(rejected).rejects.toThrow('no audit')
    expect(await read('rec')).toEqual(['document:rec#viewer@user:bob'])
    const { items } = await engine.history({ resourceId: 'rec' }, { limit: 10 })
    expect(
      items.map(({ operation, by, relationship }) => [operation, by, formatRelationships([relationship])[0]]),
    ).toEqual([
      ['added', { kind: 'client', id: 'app' }, 'document:rec#viewer@user:bob'],
      ['removed', { kind: 'client', id: 'app' }, 'document:rec#viewer@user:ada'],
      ['added', null, 'document:rec#viewer@user:ada'],
    ])
  })
})

const fully = { consistency: { kind: 'fullyConsistent' as const } }
