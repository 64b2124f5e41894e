import { Link } from '@tanstack/react-router'
import { Seal } from '../ui/Seal.tsx'
import { brandName } from './brand.ts'

/** The brand, which leads home. */
export function Brand({ className = '' }: { className?: string }) {
  return (
    <Link to="/" className={`flex h-14 items-center gap-2.5 font-[640] tracking-[-.01em] ${className}`}>
      <Seal seed="stage" size={26} isFoil />
      <span className="max-sm:sr-only">{brandName}</span>
    </Link>
  )
}
