import { useSearch } from '@tanstack/react-router'
import { BuyerFrame, Lead } from './BuyerFrame.tsx'
import { describeLandingError } from './landing-errors.ts'

/** Explains why a purchase from AWS Marketplace did not arrive. */
export function LandingErrorPage() {
  const { code } = useSearch({ strict: false }) as { code?: unknown }
  const { title, detail } = describeLandingError(code)
  return (
    <BuyerFrame title={title}>
      <Lead role="alert">{detail}</Lead>
    </BuyerFrame>
  )
}
