import { type Branding, getBranding } from '@passport/contract/branding'
import { useQuery } from '@tanstack/react-query'
import { query, toFailure } from '../app/api.ts'
import { ErrorCard } from '../ui/ErrorCard.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import { BrandingForm } from './BrandingForm.tsx'
import { introduction } from './introduction.ts'

/** What users see as the product: its name, pictures, colours and support link, with a preview of where they appear. */
export function BrandingPage() {
  const branding = useQuery(query(getBranding, {}))
  if (branding.data) return <BrandingForm branding={branding.data as Branding} />
  return (
    <>
      <h1>Branding</h1>
      <p className="mt-1 mb-6 text-ink2">{introduction}</p>
      {branding.error ? (
        <ErrorCard failure={toFailure(branding.error, 'load the branding')} onRetry={() => void branding.refetch()} />
      ) : (
        <div className="card min-h-[620px]">
          <Skeleton label="Loading the branding" rows={6} />
        </div>
      )}
    </>
  )
}
