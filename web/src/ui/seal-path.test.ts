import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import brandSeal from '../../public/seal.svg?raw'
import { drawSeal } from './seal-path.ts'

describe('a seal', () => {
  test('is the same everywhere and for ever', () => {
    const { hue, rings } = drawSeal('0192f0c1-7e57-7abc-8def-0123456789ab')
    expect(hue).toBe(137)
    expect(rings.map((ring) => ring.slice(0, 24))).toEqual([
      'M93.9 50.0L89.2 52.6L82.',
      'M73.0 50.0L70.4 51.3L74.',
      'M68.2 50.0L67.7 51.2L68.',
    ])
  })

  test('does not depend on what was drawn before', async () => {
    const first = drawSeal('ada')
    vi.resetModules()
    const anew = await import('./seal-path.ts')
    anew.drawSeal('eve')
    expect(anew.drawSeal('ada')).toEqual(first)
  })

  test('is another for another id, also for one that is next to it', () => {
    const ids = Array.from({ length: 1000 }, (_, at) => `user-${at}`)
    expect(new Set(ids.map((id) => JSON.stringify(drawSeal(id)))).size).toBe(ids.length)
  })

  test('has a hue and three closed rings within its square, whatever the id', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (seed) => {
        const { hue, rings } = drawSeal(seed)
        expect(hue).toBeGreaterThanOrEqual(0)
        expect(hue).toBeLessThan(360)
        expect(new Set(rings).size).toBe(3)
        for (const ring of rings) {
          expect(ring).toMatch(/^M[\d. L]+ZM[\d. L]+Z$/)
          const reach = Math.max(...(ring.match(/[\d.]+/g) ?? []).map((number) => Math.abs(Number(number) - 50)))
          expect(reach).toBeLessThanOrEqual(46)
        }
      }),
    )
  })

  test('of the brand is the one that stands in the tab of the browser', () => {
    const paths = [...brandSeal.matchAll(/<path d="([^"]+)"/g)].map(([, path = '']) => path)
    // The file goes back to the first point before it closes a ring.
    const drawn = paths.map((path) => path.replace(/M([\d. ]+)L([^Z]*)L\1Z/g, 'M$1L$2Z'))
    expect(drawn).toEqual(drawSeal('stage').rings)
  })
})
