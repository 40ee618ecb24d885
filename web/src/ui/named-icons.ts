import {
  CircleCheck,
  Info,
  type LucideIcon,
  MessageSquare,
  Package,
  Settings,
  Shield,
  ShoppingCart,
  TrendingUp,
  TriangleAlert,
  Users,
  Zap,
} from 'lucide-react';

/** The names that notifications and modules use. */
export const namedIcons: Readonly<Record<string, LucideIcon>> = {
  Package,
  AlertTriangle: TriangleAlert,
  CheckCircle: CircleCheck,
  Info,
  ShoppingCart,
  Users,
  Zap,
  Settings,
  MessageSquare,
  TrendingUp,
  Shield,
};
