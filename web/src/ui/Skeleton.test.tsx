import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { Skeleton } from './Skeleton.tsx'

test('Skeleton has the given number of rows and is announced once', () => {
  const { container } = render(<Skeleton label="Loading sessions" rows={3} rowClass="h-8" />)
  expect(container.querySelectorAll('.h-8 > .skeleton')).toHaveLength(3)
  expect(container.textContent).toBe('Loading sessions')
  expect(screen.getByText('Loading sessions').closest('[aria-busy=true]')).toBe(container.firstElementChild)
})
