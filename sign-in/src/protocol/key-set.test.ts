import { errors } from 'jose'
import { expect, test } from 'vitest'
import { createKeySet } from './key-set.ts'

test('tokens with a new key at the same time share one reload', async () => {
  let loads = 0
  const keys = createKeySet(async () => {
    const generation = ++loads
    return async ({ kid }) => {
      if (kid !== `key-${generation}`) throw new errors.JWKSNoMatchingKey()
      return new Uint8Array()
    }
  })
  const find = (kid: string) => keys({ alg: 'ES256', kid }, { payload: '', signature: '' })
  await find('key-1')
  await Promise.all([find('key-2'), find('key-2'), find('key-2')])
  expect(loads).toBe(2)
  await expect(find('key-3')).rejects.toThrow(errors.JWKSNoMatchingKey)
  expect(loads).toBe(2)
})
