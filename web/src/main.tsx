import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { currentUserQuery } from './app/current-user.ts'
import { queryClient } from './app/query-client.ts'
import { router } from './app/routes.tsx'
import { preloadToaster } from './ui/toast.ts'

preloadToaster()

const root = document.getElementById('root')
if (!root) throw new Error('The document has no element #root')

// The document shows its own text until the current user is loaded, for at most 10 s.
await queryClient.prefetchQuery(currentUserQuery)
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
