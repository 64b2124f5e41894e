import fc from 'fast-check'

const { FC_RUNS, FC_SEED } = process.env

// How many random inputs a property is tried with, and the seed that repeats a failure:
// `FC_RUNS=5000 FC_SEED=7 npx vitest run return-url`. Slow properties take a fraction of this number.
fc.configureGlobal({ numRuns: Number(FC_RUNS ?? 100), ...(FC_SEED && { seed: Number(FC_SEED) }) })
