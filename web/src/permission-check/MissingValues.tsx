import { Suspense } from 'react'
import { lazyPart } from '../ui/lazy-part.tsx'
import { Skeleton } from '../ui/Skeleton.tsx'
import type { MissingValuesProps } from './MissingValuesForm.tsx'

const Form = lazyPart(async () => (await import('./MissingValuesForm.tsx')).MissingValuesForm)

/** The form of the caveat values that an answer depends on, loaded with the language of caveats when first shown. */
export const MissingValues = (props: MissingValuesProps) => (
  <Suspense fallback={<Skeleton label="Loading form" rows={1} />}>
    <Form {...props} />
  </Suspense>
)
