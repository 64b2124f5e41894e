import type { SellerProduct } from './market.ts'

/** The products of the demo world, one for each pricing model. Passport is seeded with the same. */
export const stageProducts: SellerProduct[] = [
  {
    code: 'stagepro1a2b3c4d5e6f7g8h9',
    id: 'prod-stagepro4x7yq',
    name: 'Stage Pro',
    pricingModel: 'contract',
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'recording', name: 'Recording', kind: 'entitled', entitled: 'flag' },
    ],
  },
  {
    code: 'stagehours1a2b3c4d5e6f7g8',
    id: 'prod-stagehours4x7',
    name: 'Stage Hours',
    pricingModel: 'subscription',
    dimensions: [{ key: 'streaming_hours', name: 'Streaming hours', kind: 'metered' }],
  },
  {
    code: 'stagestudio1a2b3c4d5e6f7g',
    id: 'prod-stagestudio4x',
    name: 'Stage Studio',
    pricingModel: 'contract-with-consumption',
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'streaming_hours', name: 'Streaming hours', kind: 'both' },
    ],
  },
  {
    code: 'stagetrial1a2b3c4d5e6f7g8',
    id: 'prod-stagetrial4x7',
    name: 'Stage Trial',
    pricingModel: 'contract',
    trialDays: 14,
    dimensions: [
      { key: 'seats', name: 'Seats', kind: 'entitled' },
      { key: 'recording', name: 'Recording', kind: 'entitled', entitled: 'flag' },
    ],
  },
]
