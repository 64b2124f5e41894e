import { discover } from '@passport/contract/discovery'
import { useQuery } from '@tanstack/react-query'
import { CircleAlert } from 'lucide-react'
import { query } from '../app/api.ts'

/** Says that nothing arrives from AWS, until the operator has configured it. */
export function NotConfigured() {
  const { data } = useQuery({ ...query(discover, { query: {} }), staleTime: 60_000 })
  if (data?.features.awsMarketplace !== false) return null
  return (
    <div className="mt-4 flex gap-3 card px-4 py-3 sm:px-[18px]">
      <CircleAlert size={18} aria-hidden="true" className="mt-0.5 shrink-0 text-warn" />
      <p>
        <span className="font-[620]">AWS Marketplace is not configured.</span>{' '}
        <span className="text-ink2">No subscription can arrive.</span>{' '}
        <a className="link" href="/docs/aws-marketplace">
          Read the guide
        </a>
      </p>
    </div>
  )
}
