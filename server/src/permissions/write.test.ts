import { describe, expect, test } from 'vitest'
import { transaction } from '../database/sql.ts'
import { documents, lines, one, questionOf, startEngine, updatesOf } from './test-engines.ts'

const has = { permissionship: 'hasPermission' }
const hasNot = { permissionship: 'noPermission' }

describe('writes', async () => {
  const { engine, sql } = await startEngine(documents)
  const write = (...texts: string[]) => engine.writeRelationships(updatesOf(...texts))
  const read = async (resourceId: string) =>
    lines((await engine.readRelationships({ resourceType: 'document', resourceId }, { limit: 100 })).items)

  test('are seen at once by whoever wrote', async () => {
    for (let i = 0; i < 20; i++) {
      await write(`+document:own${i}#viewer@user:ada`)
      expect(await engine.check(questionOf(`document:own${i}#view@user:ada`))).toMatchObject(has)
    }
  })

  test('create what is not there, touch, and delete what may not be there', async () => {
    await write('+document:three#viewer@user:ada', '~document:three#viewer@user:bob', '-document:three#viewer@user:eve')
    expect(await read('three')).toEqual(['document:three#viewer@user:ada', 'document:three#viewer@user:bob'])
    await write('-document:three#viewer@user:ada', '~document:three#viewer@user:bob')
    expect(await read('three')).toEqual(['document:three#viewer@user:bob'])
  })

  test('happen all or not at all', async () => {
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
  ])('are refused with %s at %s', async (code, field, texts) => {
    const before = await engine.status()
    await expect(write(...texts)).rejects.toMatchObject({ code, field })
    expect((await engine.status()).revision).toBe(before.revision)
  })

  test('are at most a thousand at once', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => `~document:many${at}#viewer@user:ada`)
    await expect(write(...many)).rejects.toMatchObject({ code: 'too-many', field: 'updates' })
    await write(...many.slice(1))
  })

  test('depend on preconditions, of which the first that fails is told', async () => {
    await write('+document:pre#viewer@user:ada')
    const there = { resourceType: 'document', resourceId: 'pre', relation: 'viewer' }
    const go = (operation: 'mustMatch' | 'mustNotMatch', subjectId: string) =>
      engine.writeRelationships(updatesOf('~document:pre#viewer@user:bob'), [
        { operation: 'mustMatch', filter: there },
        { operation, filter: { ...there, subjectId } },
      ])
    await expect(go('mustMatch', 'eve')).rejects.toMatchObject({
      code: 'precondition-failed',
      field: 'preconditions.1',
    })
    await expect(go('mustNotMatch', 'ada')).rejects.toMatchObject({ code: 'precondition-failed' })
    expect(await read('pre')).toHaveLength(1)
    await go('mustMatch', 'ada')
    expect(await read('pre')).toHaveLength(2)
  })

  test('of two that each must be the first, one is refused', async () => {
    const filter = { resourceType: 'document', resourceId: 'seat' }
    const take = (who: string) =>
      engine.writeRelationships(updatesOf(`+document:seat#viewer@user:${who}`), [{ operation: 'mustNotMatch', filter }])
    const results = await Promise.allSettled(['ada', 'bob', 'eve', 'max'].map(take))
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await read('seat')).toHaveLength(1)
  })

  test('are part of a transaction of another room, and undone with it', async () => {
    const inside = transaction(sql, async (sql) => {
      await engine.writeIn(sql, updatesOf('+document:joint#viewer@user:ada'))
      throw new Error('changed my mind')
    })
    await expect(inside).rejects.toThrow('changed my mind')
    expect(await engine.check(questionOf('document:joint#view@user:ada'), fully)).toMatchObject(hasNot)
    const token = await transaction(sql, (sql) => engine.writeIn(sql, updatesOf('+document:joint#viewer@user:ada')))
    expect(
      await engine.check(questionOf('document:joint#view@user:ada'), {
        consistency: { kind: 'atLeastAsFresh', token },
      }),
    ).toMatchObject(has)
  })

  test('by a filter delete up to a limit, and tell whether that was all', async () => {
    await write(
      ...Array.from({ length: 5 }, (_, at) => `+document:del${at}#viewer@user:ada`),
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

  test('replace what has expired, and sweeps take it away', async () => {
    const past = '[expiration:2020-01-01T00:00:00Z]'
    await write(`+document:old#viewer@user:ada${past}`)
    expect(await read('old')).toEqual([])
    expect(await engine.check(questionOf('document:old#view@user:ada'))).toMatchObject(hasNot)
    await write('+document:old#viewer@user:ada[expiration:2999-01-01T00:00:00Z]')
    expect(await engine.check(questionOf('document:old#view@user:ada'))).toMatchObject(has)
  })

  test('tell the record what they change, within their transaction', async () => {
    await write('+document:rec#viewer@user:ada')
    const told: unknown[] = []
    await engine.writeRelationships(
      updatesOf('-document:rec#viewer@user:ada', '~document:rec#viewer@user:bob', '-document:rec#viewer@user:eve'),
      [],
      { by: { kind: 'client', id: 'app' }, record: async (change) => void told.push(change) },
    )
    expect(told).toEqual([
      {
        before: [one('document:rec#viewer@user:ada')],
        after: [one('document:rec#viewer@user:bob')],
        removed: 1,
        written: 1,
      },
    ])
    const refused = engine.writeRelationships(updatesOf('-document:rec#viewer@user:bob'), [], {
      record: () => Promise.reject(new Error('no audit')),
    })
    await expect(refused).rejects.toThrow('no audit')
    expect(await read('rec')).toEqual(['document:rec#viewer@user:bob'])
    const { items } = await engine.history({ resourceId: 'rec' }, { limit: 10 })
    expect(items.map(({ operation, by, relationship }) => [operation, by, lines([relationship])[0]])).toEqual([
      ['added', { kind: 'client', id: 'app' }, 'document:rec#viewer@user:bob'],
      ['removed', { kind: 'client', id: 'app' }, 'document:rec#viewer@user:ada'],
      ['added', null, 'document:rec#viewer@user:ada'],
    ])
  })
})

const fully = { consistency: { kind: 'fullyConsistent' as const } }
