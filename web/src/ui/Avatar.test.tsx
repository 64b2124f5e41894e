import { fireEvent, render } from '@testing-library/react'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Avatar, initialsOf } from './Avatar.tsx'

test.for([
  ['Ada Lovelace', 'AL'],
  ['ada', 'A'],
  ['Rosa María Abelló', 'RA'],
  ["Jean-Luc d'Arc", 'JA'],
  ['Élodie Zátopek', 'ÉZ'],
  ['E\u0301lodie', 'E\u0301'],
  ['王小明', '王'],
  ['ada@passport.example', 'AE'],
  ['𝒜da 𝒵', '𝒜𝒵'],
  ['', ''],
  ['—', ''],
])('the initials of “%s” are “%s”', ([name, initials]) => {
  expect(initialsOf(name as string)).toBe(initials)
})

test('initials are at most two characters of the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const bases = initialsOf(name).replace(/\p{M}/gu, '')
      expect([...bases.toLowerCase()].length).toBeLessThanOrEqual(6)
      if (/[\p{L}\p{N}]/u.test(name)) expect(bases).not.toBe('')
    }),
  )
})

test('the colour depends on the id alone, and screen readers skip the picture', () => {
  const pictureOf = (id: string, name: string) => {
    const { container } = render(<Avatar id={id} name={name} size={60} />)
    const picture = container.firstElementChild as HTMLElement
    return { background: picture.style.background, isHidden: picture.getAttribute('aria-hidden') }
  }
  expect(pictureOf('1', 'Ada')).toEqual(pictureOf('1', 'Eve'))
  expect(pictureOf('1', 'Ada').isHidden).toBe('true')
})

test('a picture of 60 px and more is loaded whole', () => {
  const { container } = render(<Avatar id="1" name="Ada Lovelace" picture="/ada.png" size={60} />)
  expect(container.querySelector('img')?.getAttribute('src')).toBe('/ada.png')
})

test('the own picture covers the initials, unless it cannot be loaded', () => {
  const { container } = render(<Avatar id="1" name="Ada Lovelace" picture="/ada.png" />)
  const image = container.querySelector('img') as HTMLImageElement
  expect([image.getAttribute('src'), image.alt, image.hidden]).toEqual(['/ada-96.png', '', false])
  fireEvent.error(image)
  expect(image.hidden).toBe(true)
  expect((container.firstElementChild as HTMLElement).dataset['initials']).toBe('AL')
})
