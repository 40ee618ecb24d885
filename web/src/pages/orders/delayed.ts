import { useEffect, useState } from 'react';

const pauseMs = 150;

/** The value when it has not changed for a moment. */
export function useDelayed<Value>(value: Value): Value {
  const [delayed, setDelayed] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return delayed;
}
