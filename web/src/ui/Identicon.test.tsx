import { render } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Identicon } from './Identicon.tsx'
import { drawIdenticon } from './identicon-path.ts'

const renderIdenticon = (identicon: React.ReactElement) => {
  const svg = render(identicon).container.querySelector('svg')
  const paths = [...(svg?.querySelectorAll('path') ?? [])].map((path) => path.getAttribute('d'))
  return { svg, paths }
}

test('Seal has the given size and is hidden from screen readers', () => {
  const { svg } = renderIdenticon(<Identicon seed="ada" size={60} />)
  expect(svg?.getAttribute('width')).toBe('60')
  expect(svg?.getAttribute('height')).toBe('60')
  expect(svg?.getAttribute('aria-hidden')).toBe('true')
})

test('Seal draws a small pattern with fewer and bolder lines', () => {
  const { rings } = drawIdenticon('ada')
  const large = renderIdenticon(<Identicon seed="ada" size={40} />)
  const small = renderIdenticon(<Identicon seed="ada" size={39} />)
  expect(large.paths).toEqual(rings)
  expect(small.paths).toEqual(rings.slice(0, 2))
  expect(Number(small.svg?.getAttribute('stroke-width'))).toBeGreaterThan(
    Number(large.svg?.getAttribute('stroke-width')),
  )
})

test('gold has the same colour for every seed', () => {
  const style = (seed: string) => renderIdenticon(<Identicon seed={seed} isGold />).svg?.getAttribute('style')
  expect(style('ada')).toBe(style('eve'))
  expect(style('ada')).toContain('var(--foil)')
})
