// SPDX-License-Identifier: Apache-2.0
module peer

go 1.25.0
