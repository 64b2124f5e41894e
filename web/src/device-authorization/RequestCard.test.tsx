import type { DeviceAuthorization } from '@passport/contract/device-authorization'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { RequestCard } from './RequestCard.tsx'

const now = new Date().toISOString()
const createRequest = (distance: DeviceAuthorization['device']['distance']): DeviceAuthorization => ({
  userCode: 'WDJB-MJHT',
  status: 'pending',
  client: { id: 'headset', name: 'Headset', logoUrl: null },
  scopes: [{ name: 'openid', description: 'Know who you are' }],
  requestedAt: now,
  expiresAt: now,
  device: {
    description: 'Firefox on Linux',
    ipAddress: '203.0.113.0/24',
    location: null,
    sameNetwork: distance === 'same-network',
    distance,
    callerNetwork: '198.51.100.0/24',
  },
  match: { required: false, kind: 'number', digits: 2, attemptsLeft: 3 },
  pin: { required: false, digits: 4 },
})

test.for([
  ['same-network', /^203\.0\.113\.0\/24, same as yours$/, 0],
  ['same-range', /different from yours \(198\.51\.100\.0\/24\)\. .* the device may be nearby\.$/, 1],
  [
    'another-network',
    /different from yours \(198\.51\.100\.0\/24\)\. .* mobile data, but the device may also be far away\.$/,
    1,
  ],
  [
    'not-comparable',
    /yours is 198\.51\.100\.0\/24\. IPv4 and IPv6 addresses can't be compared, so the device may be anywhere\.$/,
    0,
  ],
] as const)('describes the distance “%s” between the two networks', ([distance, sentence, warnings]) => {
  const { container } = render(
    <RequestCard
      request={createRequest(distance)}
      error={undefined}
      attemptsLeft={undefined}
      isBusy={false}
      onDecide={() => {}}
    />,
  )
  expect(screen.getByText('Network').nextElementSibling?.textContent).toMatch(sentence)
  expect(container.querySelectorAll('strong')).toHaveLength(warnings)
})
